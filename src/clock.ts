import { hrtime } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Passed in everywhere, so that tests control time. */
export interface Clock {
  /** Monotonic milliseconds; only differences mean anything. */
  monotonic(): number;
  /** Wall-clock time, for dates that a person or a server reads. */
  date(): Date;
  /**
   * Resolves after `milliseconds`, which may exceed the limit of Node's timers; `Infinity` ends only with `signal`.
   * @throws the signal's reason, at once, when `signal` aborts.
   */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** A clock that also runs background tasks. */
export interface ProgramClock extends Clock {
  /** Calls `action` every so many milliseconds until the function it returns is called. Keeps no process alive. */
  repeat(milliseconds: number, action: () => void): () => void;
}

/** Node's timers fire at once for longer times: 24.8 days. */
const longestTimer = 2 ** 31 - 1;

/** One timer, as `setTimeout` of `node:timers/promises`. */
type Timer = (
  milliseconds: number,
  value: undefined,
  options: { readonly signal?: AbortSignal },
) => Promise<unknown>;

/** The clock of the process; longer sleeps than `timer` takes are several timers, one after the other. */
export function createSystemClock(timer: Timer): ProgramClock {
  return {
    // Node needs a millisecond to load `performance`.
    monotonic: () => Number(hrtime.bigint()) / 1e6,
    date: () => new Date(),
    async sleep(milliseconds, signal) {
      signal?.throwIfAborted();
      const options = signal === undefined ? {} : { signal };
      try {
        let rest = milliseconds;
        for (; rest > longestTimer; rest -= longestTimer) {
          await timer(longestTimer, undefined, options);
        }
        await timer(rest, undefined, options);
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },
    repeat(milliseconds, action) {
      const ticks = setInterval(action, milliseconds).unref();
      return () => clearInterval(ticks);
    },
  };
}

export const systemClock = createSystemClock(sleep);
