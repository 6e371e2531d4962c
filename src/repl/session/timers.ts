import type { Clock } from '../../clock.ts';

const tickLength = 1000;

/**
 * Sleeps, and then lets what came meanwhile be read: after a process was held up its timers run before its input.
 * @throws the signal's reason when `signal` aborts
 */
export async function sleepAndRead(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal,
): Promise<void> {
  await clock.sleep(milliseconds, signal);
  await clock.sleep(0, signal);
}

/** Calls back after a pause without another call. */
export interface Pause {
  restart(): void;
  cancel(): void;
}

/** `length` is milliseconds. */
export function createPause(clock: Clock, length: number, act: () => void): Pause {
  let stop = new AbortController();
  return {
    restart() {
      stop.abort();
      stop = new AbortController();
      // Called off is no failure: the next pause counts.
      sleepAndRead(clock, length, stop.signal).then(act, () => undefined);
    },
    cancel: () => stop.abort(),
  };
}

/** Ticks once a second while it runs; there is no timer while it does not. */
export interface Ticker {
  run(isNeeded: boolean): void;
}

export function createTicker(clock: Clock, tick: () => void): Ticker {
  let stop: AbortController | undefined;
  const keepTicking = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await clock.sleep(tickLength, signal).catch(() => undefined);
      if (!signal.aborted) tick();
    }
  };
  return {
    run(isNeeded) {
      if (isNeeded === (stop !== undefined)) return;
      stop?.abort();
      stop = isNeeded ? new AbortController() : undefined;
      if (stop !== undefined) void keepTicking(stop.signal);
    },
  };
}
