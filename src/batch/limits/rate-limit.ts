import type { Clock } from '../../clock.ts';
import { createMinuteWindow } from './minute-window.ts';
import { createWake } from './wake.ts';

/** A limit on requests and tokens, of one process or shared by several. */
export interface RateLimit {
  /**
   * Waits until a request of about `tokens` tokens may be sent, and counts it. Callers get their turns in the order of
   * their calls.
   * @returns false if `stop` aborts first
   */
  acquire(tokens: number, stop: AbortSignal): Promise<boolean>;
  /** Replaces the estimate of a finished request with the tokens that the service reported. */
  settle(estimated: number, real: number): void;
}

/** Limits per minute; undefined is no limit. */
export interface RateLimits {
  readonly requests: number | undefined;
  readonly tokens: number | undefined;
}

/** The limit of one process. */
export function createRateLimit(limits: RateLimits, clock: Clock): RateLimit {
  const windowOf = (limit: number | undefined) =>
    limit === undefined ? undefined : createMinuteWindow(limit);
  const requests = windowOf(limits.requests);
  const tokens = windowOf(limits.tokens);
  const sleep = createWake(clock);
  let last: Promise<unknown> = Promise.resolve();

  const take = async (amount: number, stop: AbortSignal): Promise<boolean> => {
    while (!stop.aborted) {
      const now = clock.monotonic();
      const at = Math.max(requests?.earliest(now, 1) ?? now, tokens?.earliest(now, amount) ?? now);
      if (at > now) await sleep.wait(at - now, stop);
      else {
        requests?.use(now, 1);
        tokens?.use(now, amount);
        return true;
      }
    }
    return false;
  };
  return {
    acquire(amount, stop) {
      const turn = last.then(() => take(amount, stop));
      last = turn.catch(() => undefined);
      return turn;
    },
    settle(estimated, real) {
      if (estimated === real) return;
      tokens?.correct(clock.monotonic(), real - estimated);
      sleep.wake();
    },
  };
}
