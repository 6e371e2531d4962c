import type { Clock, ProgramClock } from '../clock.ts';

const second = 1000;

/**
 * Calls `act` when `pause` milliseconds have passed since the last restart, and pending input is read: in a process that
 * was delayed, timers run before that.
 */
export function createDebounce(clock: Clock, act: () => void) {
  let stop = () => {};
  return {
    restart(pause: number) {
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
