import { hrtime } from 'node:process';

/** Passed in, so that tests control time. */
export interface Clock {
  /** Monotonic milliseconds; only differences are meaningful. */
  monotonic(): number;
  date(): Date;
  /** Calls `action` after `milliseconds`, which may exceed the limit of Node's timers. Returns the stop function. */
  timer(milliseconds: number, action: () => void): () => void;
  /**
   * Resolves after `milliseconds`; `Infinity` sleeps until `signal` aborts.
   * @throws the signal's reason when `signal` aborts.
   */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of the program; the client needs no more than {@link Clock}. */
export interface ProgramClock extends Clock {
  /** Calls `action` at this interval; returns the stop function. Does not keep the process running. */
  repeat(milliseconds: number, action: () => void): () => void;
}

/** Calls `onExpiry` after `milliseconds` (0 and `Infinity`: never). Returns the stop function. */
export function startTimer(clock: Clock, milliseconds: number, onExpiry: () => void): () => void {
  if (milliseconds === 0 || milliseconds === Infinity) return () => {};
  return clock.timer(milliseconds, onExpiry);
}

/** Node's timers fire at once for longer times: 24.8 days. */
const maxTimer = 2 ** 31 - 1;

/** A time longer than the limit of Node's timers is several timers in sequence. */
function startNodeTimer(milliseconds: number, action: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    const next = () => (left > maxTimer ? wait(left - maxTimer) : action());
    timer = setTimeout(next, Math.min(left, maxTimer));
  };
  wait(milliseconds);
  return () => clearTimeout(timer);
}

/**
 * The clock of the process. Not with `node:timers/promises`, which takes time to load, and creates an error with a stack
 * for each sleep that is stopped.
 */
export const systemClock: ProgramClock = {
  // Not `performance`, which takes Node a millisecond to load.
  monotonic: () => Number(hrtime.bigint()) / 1e6,
  date: () => new Date(),
  timer: startNodeTimer,
  sleep(milliseconds, signal) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const abort = (): void => {
        stop();
        reject(signal?.reason);
      };
      const stop = startNodeTimer(milliseconds, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      signal?.addEventListener('abort', abort, { once: true });
    });
  },
  repeat(milliseconds, action) {
    const ticks = setInterval(action, milliseconds).unref();
    return () => clearInterval(ticks);
  },
};

/**
 * Calls `act` once `pause` milliseconds have passed since the last restart and the pending input has been read: in a
 * process that was delayed, timers run before input.
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

/** Ticks while it runs. @param interval milliseconds */
export function createTicker(clock: ProgramClock, tick: () => void, interval = 1000) {
  let stop: (() => void) | undefined;
  return {
    run(isNeeded: boolean) {
      if (isNeeded === (stop !== undefined)) return;
      stop?.();
      stop = isNeeded ? clock.repeat(interval, tick) : undefined;
    },
  };
}
