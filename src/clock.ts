import { hrtime } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Time as natter sees it; passed in everywhere, so that tests own it. */
export interface Clock {
  /** Monotonic milliseconds; only differences mean anything. */
  monotonic(): number;
  /** Wall-clock time, for dates that a person or a server reads. */
  date(): Date;
  /**
   * Resolves after `milliseconds`.
   * @throws the signal's reason, at once, when `signal` aborts.
   */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  // Node takes a millisecond to load `performance`.
  monotonic: () => Number(hrtime.bigint()) / 1e6,
  date: () => new Date(),
  async sleep(milliseconds, signal) {
    signal?.throwIfAborted();
    try {
      await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
