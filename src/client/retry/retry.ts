import type { Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import type { RetryScheduled } from '../events.ts';
import { maskFailure } from '../failure/mask-failure.ts';
import { rephrase, RequestFailure } from '../failure/request-failure.ts';
import { decideRetry, longestWait, type NoRetryReason, type RetryPolicy } from './retry-policy.ts';
import { clockTimeAfter, waitInWords } from '../failure/wait-words.ts';

export interface RetryContext {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Masks secrets in a failure's text. */
  readonly mask: (text: string) => string;
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
  const decision = decide(error, attempts, policy);
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

/** @throws the signal's reason; a Failure (the total time ran out) with the cause of the retry in its message. */
export async function waitForRetry(
  { delay, cause }: RetryScheduled,
  { clock, signal }: RetryContext,
): Promise<void> {
  try {
    await clock.sleep(delay, signal);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = `${error.message}; the last attempt failed: ${cause.message}`;
    throw rephrase(error, { message, ...(cause.attempts && { attempts: cause.attempts }) });
  }
}

function decide(failure: Failure, retry: number, policy: RetryPolicy): number | NoRetryReason {
  return failure instanceof RequestFailure ? decideRetry(failure, retry, policy) : 'final';
}

function finalFailure(
  shown: Failure,
  failure: Failure,
  reason: NoRetryReason,
  clock: Clock,
): Failure {
  if (reason === 'wait too long' && failure instanceof RequestFailure) {
    return waitRefused(shown, failure.askedDelay ?? 0, clock.date());
  }
  const attempts = shown.attempts ?? 1;
  if (attempts === 1) return shown;
  return rephrase(shown, { message: `${shown.message} (after ${attempts} attempts)` });
}

function waitRefused(shown: Failure, askedDelay: number, now: Date): Failure {
  const seconds = askedDelay / 1000;
  if (askedDelay > longestWait) {
    return rephrase(shown, {
      message: `${shown.message}; Retry-After is more than a year`,
      remedy: { code: 'ask-about-limits' },
    });
  }
  const time = clockTimeAfter(seconds, now);
  return rephrase(shown, {
    message: `${shown.message}; Retry-After is ${waitInWords(seconds)}, until ${time}`,
    remedy: { code: 'wait-until', time, seconds: Math.ceil(seconds) },
  });
}
