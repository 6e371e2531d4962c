import type { Clock, ProgramClock } from '../clock.ts';

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

/** Calls `act` when `pause` milliseconds have passed since the last restart, and pending input is read. */
export function createDebounce(clock: Clock, pause: number, act: () => void) {
  let stop = () => {};
  return {
    restart() {
      stop();
      stop = clock.timer(pause, () => (stop = clock.timer(0, act)));
    },
    cancel: () => stop(),
  };
}

/** Ticks once a second, or with a different interval, while it runs. */
export function createTicker(clock: ProgramClock, tick: () => void, interval = second) {
  let stop: (() => void) | undefined;
  return {
    run(isNeeded: boolean) {
      if (isNeeded === (stop !== undefined)) return;
      stop?.();
      stop = isNeeded ? clock.repeat(interval, tick) : undefined;
    },
  };
}
