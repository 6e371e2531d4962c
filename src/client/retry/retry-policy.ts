import type { RequestFailure } from '../failure/request-failure.ts';

export interface RetryPolicy {
  /** Maximum retries after the first attempt. */
  readonly retries: number;
  /** Longest `Retry-After` that is waited for, milliseconds; 0 and `Infinity` mean any up to a year. */
  readonly waitLimit: number;
  readonly random: () => number;
}

const firstBackoff = 500;
const longestBackoff = 8_000;
const longestExtraWait = 1_000;
/** Milliseconds; the longest `Retry-After` that is waited for without a limit: a year. */
export const longestWait = 366 * 86_400_000;

/** Why there is no retry. */
export type NoRetryReason = 'final' | 'exhausted' | 'wait too long';

/** Milliseconds before `retry` (from 1), or why there is none. */
export function decideRetry(
  failure: RequestFailure,
  retry: number,
  policy: RetryPolicy,
): number | NoRetryReason {
  if (!failure.transient) return 'final';
  const asked = failure.askedDelay;
  const limit = policy.waitLimit === 0 ? longestWait : Math.min(policy.waitLimit, longestWait);
  if (asked !== undefined && asked > limit) return 'wait too long';
  if (retry > policy.retries) return 'exhausted';
  if (asked === undefined) return backoff(retry, policy.random());
  // Jitter only lengthens `Retry-After`, so that many clients do not return at the same moment.
  return Math.ceil(asked + Math.min(asked * 0.1, longestExtraWait) * policy.random());
}

function backoff(retry: number, random: number): number {
  const full = Math.min(firstBackoff * 2 ** (retry - 1), longestBackoff);
  return Math.round(full * (1 - random * 0.25));
}
