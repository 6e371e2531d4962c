import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';

/** Allows at most `requests` in any period of `seconds`. */
export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

export interface KeyTier {
  readonly key: string;
  readonly tier: string;
  readonly models: readonly string[];
  /** Absent: no practical limit. */
  readonly limit?: RateLimit;
  readonly summary: string;
}

/** The default key: every model, no practical limit. */
export const sandboxKey = 'sandbox-key';

/** They are published: they are valid in a sandbox only, and protect nothing. */
export const sandboxKeys: readonly KeyTier[] = [
  {
    key: sandboxKey,
    tier: 'unlimited',
    models: ['origin', 'nextgen'],
    summary: 'both models, no practical rate limit',
  },
  {
    key: 'sandbox-key-origin-only',
    tier: 'origin-only',
    models: ['origin'],
    summary: '403 `forbidden` for `nextgen`',
  },
  {
    key: 'sandbox-key-free-tier',
    tier: 'free',
    models: ['origin', 'nextgen'],
    limit: { requests: 3, seconds: 10 },
    summary:
      '3 requests in 10 seconds, then 429 `rate_limited`, every other one with `Retry-After`',
  },
];

/** The token of an `Authorization: Bearer` header, known or not. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

/** Contract, Authentication. @throws Failure `unauthorized` */
export function authenticate(header: string | undefined): KeyTier {
  const token = bearerToken(header);
  const known = sandboxKeys.find(({ key }) => key === token);
  if (known !== undefined) return known;
  const malformed = header === undefined ? 'is missing' : 'is not "Bearer <API_KEY>"';
  const problem =
    token === undefined ? `the Authorization header ${malformed}` : 'the API key is unknown';
  throw new Failure('unauthorized', `${problem}; the sandbox takes the key ${sandboxKey}`);
}

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

/**
 * Enforces the limit of each key. Every other refusal has `Retry-After`, starting with the first, because the contract
 * does not promise it for all (Errors, rule 2).
 * @param override replaces the limits of all keys
 * @returns counts one request of a key; throws a Failure `rate_limited`
 */
export function createRateLimiter(clock: Clock, override?: RateLimit): (key: KeyTier) => void {
  const admitted = new Map<string, number[]>();
  let refusals = 0;
  return ({ key, tier, limit: tierLimit }) => {
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
    const allowed = `the tier "${tier}" allows ${limit.requests} in ${limit.seconds} seconds`;
    const retryAfterSeconds = refusals % 2 === 1 ? wait : undefined;
    throw new Failure('rate_limited', `too many requests: ${allowed}`, { retryAfterSeconds });
  };
}
