import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';
import type { KeyTier, RateLimit } from './keys.ts';

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3600 };

/** Such as `3/10s`, `60/min`, `5/1m`. @throws Failure `usage` */
export function parseRateLimit(text: string): RateLimit {
  const [, requests, count = '1', unit = ''] =
    /^(\d{1,9})\/(\d{1,6})?(s|m|min|h)$/.exec(text.trim()) ?? [];
  const seconds = Number(count) * (unitSeconds[unit] ?? 0);
  if (requests === undefined || Number(requests) === 0 || seconds === 0) {
    throw new Failure('usage', `a rate limit looks like 3/10s or 60/min, not "${text}"`);
  }
  return { requests: Number(requests), seconds };
}

export interface RateLimiter {
  /** Counts one request of a key. @throws Failure `rate_limited`, every other time with `retryAfterSeconds` */
  admit(key: KeyTier): void;
}

/**
 * Enforces the limit of each key. Every other refusal has `Retry-After`, starting with the first, because the contract
 * does not promise it for all (Errors, rule 2).
 * @param override replaces the limits of all keys
 */
export function createRateLimiter(clock: Clock, override?: RateLimit): RateLimiter {
  const admitted = new Map<string, number[]>();
  let refusals = 0;
  return {
    admit({ key, tier, limit: tierLimit }) {
      const limit = override ?? tierLimit;
      if (limit === undefined) return;
      const now = clock.monotonic();
      const period = limit.seconds * 1000;
      const recent = (admitted.get(key) ?? []).filter((time) => now - time < period);
      admitted.set(key, recent);
      if (recent.length < limit.requests) {
        recent.push(now);
        return;
      }
      refusals += 1;
      const wait = Math.ceil(((recent[0] ?? now) + period - now) / 1000);
      throw new Failure(
        'rate_limited',
        `too many requests: the tier "${tier}" allows ${limit.requests} in ${limit.seconds} seconds`,
        refusals % 2 === 1 ? { retryAfterSeconds: wait } : {},
      );
    },
  };
}
