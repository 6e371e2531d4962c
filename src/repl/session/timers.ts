import type { Clock } from '../../clock.ts';

const tickLength = 1000;

/**
 * Sleeps, then yields once more so that pending input is read: in a process that was delayed, timers run before input.
 * @throws the reason of `signal` when it aborts
 */
export async function sleepAndRead(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal,
): Promise<void> {
  await clock.sleep(milliseconds, signal);
  await clock.sleep(0, signal);
}

/** A debounce timer. */
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
      // Cancelled: a newer pause replaces this one.
      sleepAndRead(clock, length, stop.signal).then(act, () => undefined);
    },
    cancel: () => stop.abort(),
  };
}

/** Ticks once a second while it runs; otherwise holds no timer. */
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
