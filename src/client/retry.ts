import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';
import type { RetryScheduled } from './events.ts';
import { formatWait, localTimeAfter } from './failure/format-duration.ts';
import { maskFailure, rephrase, RequestFailure } from './failure/request-failure.ts';
import type { Mask } from './failure/error-body.ts';

export interface RetryPolicy {
  readonly retries: number;
  /** Longest `Retry-After` to wait for, in milliseconds; 0 and `Infinity` mean any up to a year. */
  readonly waitLimit: number;
  readonly random: () => number;
}

/** Milliseconds. */
const firstBackoff = 500;
const maxBackoff = 8_000;
const maxJitter = 1_000;
/** Milliseconds; the longest `Retry-After` to wait for if there is no limit: a year. */
const maxWait = 366 * 86_400_000;

export type NoRetryReason = 'final' | 'exhausted' | 'wait too long';

/** Milliseconds before `retry` (from 1), or why there is none. */
export function decideRetry(
  failure: RequestFailure,
  retry: number,
  policy: RetryPolicy,
): number | NoRetryReason {
  if (!failure.transient) return 'final';
  const requested = failure.retryAfterMilliseconds;
  const limit = policy.waitLimit === 0 ? maxWait : Math.min(policy.waitLimit, maxWait);
  if (requested !== undefined && requested > limit) return 'wait too long';
  if (retry > policy.retries) return 'exhausted';
  if (requested === undefined) return backoff(retry, policy.random());
  // Jitter only lengthens `Retry-After`, so that many clients do not return at the same moment.
  return Math.ceil(requested + Math.min(requested * 0.1, maxJitter) * policy.random());
}

function backoff(retry: number, random: number): number {
  const full = Math.min(firstBackoff * 2 ** (retry - 1), maxBackoff);
  return Math.round(full * (1 - random * 0.25));
}

export interface RetryContext {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly mask: Mask;
}

/**
 * The retry after attempt number `attempts` (from 1) threw `error`.
 * @throws Failure, with the number of attempts, when there is no retry; any other error unchanged.
 */
export function scheduleRetry(
  error: unknown,
  attempts: number,
  { policy, clock, mask }: RetryContext,
): RetryScheduled {
  if (!(error instanceof Failure)) throw error;
  const decision = error instanceof RequestFailure ? decideRetry(error, attempts, policy) : 'final';
  const cause = rephrase(maskFailure(error, mask), { attempts });
  if (typeof decision !== 'number') throw finalFailure(cause, error, decision, clock);
  return {
    type: 'retry-scheduled',
    retry: attempts,
    retries: policy.retries,
    delay: decision,
    cause,
  };
}

/** Sleeps until the time is over or `hurried` resolves. @throws the signal's reason */
async function sleepUnlessHurried(
  delay: number,
  { clock, signal }: Pick<RetryContext, 'clock' | 'signal'>,
  hurried: Promise<void>,
): Promise<void> {
  const wake = new AbortController();
  void hurried.then(() => wake.abort());
  try {
    await clock.sleep(delay, AbortSignal.any([signal, wake.signal]));
  } catch (error) {
    if (signal.aborted || !wake.signal.aborted) throw error;
  }
}

/**
 * @param hurry as in `ChatOptions`
 * @throws the signal's reason; a Failure (total timeout) also has the cause of the retry in its message.
 */
export async function waitForRetry(
  { delay, cause }: RetryScheduled,
  context: Pick<RetryContext, 'clock' | 'signal'>,
  hurry?: () => Promise<void>,
): Promise<void> {
  const { clock, signal } = context;
  try {
    if (hurry === undefined) await clock.sleep(delay, signal);
    else await sleepUnlessHurried(delay, context, hurry());
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = `${error.message}; the last attempt failed: ${cause.message}`;
    throw rephrase(error, { message, ...(cause.attempts && { attempts: cause.attempts }) });
  }
}

function finalFailure(
  masked: Failure,
  failure: Failure,
  reason: NoRetryReason,
  clock: Clock,
): Failure {
  if (reason === 'wait too long' && failure instanceof RequestFailure) {
    return waitTooLong(masked, failure.retryAfterMilliseconds ?? 0, clock.date());
  }
  const attempts = masked.attempts ?? 1;
  if (attempts === 1) return masked;
  return rephrase(masked, { message: `${masked.message} (${attempts} attempts)` });
}

function waitTooLong(masked: Failure, milliseconds: number, now: Date): Failure {
  if (milliseconds > maxWait) {
    return rephrase(masked, {
      message: `${masked.message}; Retry-After is more than a year`,
      remedy: { code: 'ask-about-limits' },
    });
  }
  const seconds = milliseconds / 1000;
  const time = localTimeAfter(seconds, now);
  return rephrase(masked, {
    message: `${masked.message}; Retry-After is ${formatWait(seconds)}, until ${time}`,
    remedy: { code: 'wait-until', time, seconds: Math.ceil(seconds) },
  });
}
