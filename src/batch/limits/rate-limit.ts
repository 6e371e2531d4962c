import type { Clock } from '../../clock.ts';
import { createMinuteWindow } from './minute-window.ts';

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

/** A wait that ends early. */
interface Wake {
  /** Resolves after `milliseconds`, when `stop` aborts, or at the next `wake`. */
  wait(milliseconds: number, stop: AbortSignal): Promise<void>;
  wake(): void;
}

function createWake(clock: Clock): Wake {
  let waking = new AbortController();
  return {
    async wait(milliseconds, stop) {
      waking = new AbortController();
      const { signal } = waking;
      const wake = () => waking.abort('woken');
      stop.addEventListener('abort', wake);
      try {
        await clock.sleep(milliseconds, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        stop.removeEventListener('abort', wake);
      }
    },
    wake: () => waking.abort('woken'),
  };
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
