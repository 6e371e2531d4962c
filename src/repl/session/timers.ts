import type { Clock } from '../../clock.ts';

const second = 1000;

/**
 * Sleeps, then yields once more: in a process that was delayed, timers run before pending input is read.
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

export interface Debounce {
  restart(): void;
  cancel(): void;
}

/** Calls `act` when `pause` milliseconds have passed since the last restart. */
export function createDebounce(clock: Clock, pause: number, act: () => void): Debounce {
  let stop = new AbortController();
  return {
    restart() {
      stop.abort();
      stop = new AbortController();
      // Rejects if cancelled or restarted.
      sleepAndRead(clock, pause, stop.signal).then(act, () => undefined);
    },
    cancel: () => stop.abort(),
  };
}

/** Ticks once a second, or with a different interval, while it runs. */
export interface Ticker {
  run(isNeeded: boolean): void;
}

export function createTicker(clock: Clock, tick: () => void, interval = second): Ticker {
  let stop: AbortController | undefined;
  const keepTicking = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await clock.sleep(interval, signal).catch(() => undefined);
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
