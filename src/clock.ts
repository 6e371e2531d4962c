import { hrtime } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Passed in, so that tests control time. */
export interface Clock {
  /** Monotonic milliseconds; only differences are meaningful. */
  monotonic(): number;
  date(): Date;
  /**
   * Resolves after `milliseconds`, which may exceed the limit of Node's timers; `Infinity` sleeps until `signal` aborts.
   * @throws the signal's reason when `signal` aborts.
   */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface ProgramClock extends Clock {
  /** Calls `action` at this interval; returns the stop function. Does not keep the process running. */
  repeat(milliseconds: number, action: () => void): () => void;
}

/** Node's timers fire at once for longer times: 24.8 days. */
const maxTimer = 2 ** 31 - 1;

/** `setTimeout` of `node:timers/promises`. */
type Timer = (
  milliseconds: number,
  value: undefined,
  options: { readonly signal?: AbortSignal },
) => Promise<unknown>;

/** The clock of the process. A sleep longer than the limit of `timer` is several timers in sequence. */
export function createSystemClock(timer: Timer): ProgramClock {
  return {
    // Not `performance`, which takes Node a millisecond to load.
    monotonic: () => Number(hrtime.bigint()) / 1e6,
    date: () => new Date(),
    async sleep(milliseconds, signal) {
      signal?.throwIfAborted();
      const options = signal === undefined ? {} : { signal };
      try {
        let rest = milliseconds;
        for (; rest > maxTimer; rest -= maxTimer) {
          await timer(maxTimer, undefined, options);
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
