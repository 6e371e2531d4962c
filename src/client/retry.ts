import { type Clock, startTimer } from '../clock.ts';
import { Failure } from '../failure.ts';
import type { ChatOptions } from './client.ts';
import type { Sender } from './configuration.ts';
import type { RetryScheduled } from './events.ts';
import { maskFailure, rephrase } from './failure/change-failure.ts';
import { formatWait, localTimeAfter, timedOut } from './failure/answer-failure.ts';
import { followSignals } from './http/timer.ts';

// Milliseconds.
const firstBackoff = 500;
const maxBackoff = 8_000;
const maxJitter = 1_000;
/** A year: the longest `Retry-After` to wait for if there is no limit. */
const maxWait = 366 * 86_400_000;

/** Returns the milliseconds before `retry` (from 1); undefined for no retry. */
export function decideRetry(
  failure: Failure,
  retry: number,
  { retries, retryWaitLimit }: { readonly retries: number; readonly retryWaitLimit: number },
  random: () => number,
): number | 'wait too long' | undefined {
  if (failure.transient !== true) return undefined;
  const requested = waitOf(failure);
  const limit = retryWaitLimit === 0 ? maxWait : Math.min(retryWaitLimit, maxWait);
  if (requested !== undefined && requested > limit) return 'wait too long';
  if (retry > retries) return undefined;
  if (requested === undefined) {
    const full = Math.min(firstBackoff * 2 ** (retry - 1), maxBackoff);
    return Math.round(full * (1 - random() * 0.25));
  }
  // Jitter only lengthens `Retry-After`, so that many clients do not return at the same moment.
  return Math.ceil(requested + Math.min(requested * 0.1, maxJitter) * random());
}

/**
 * Makes attempts, numbered from 1, until one succeeds. Yields what they yield, and each retry before its wait.
 * @throws Failure, with the number of attempts, when there is no retry; or the caller's reason when it aborts
 */
export async function* withRetries<Event>(
  { limits, random, clock, mask, closed }: Sender,
  { signal: caller, throttle, hurry }: ChatOptions,
  attempt: (number: number, signal: AbortSignal) => AsyncGenerator<Event, void>,
): AsyncGenerator<Event | RetryScheduled, void> {
  const sources = caller === undefined ? [closed] : [caller, closed];
  const { controller, unfollow } = followSignals(...sources);
  const { signal } = controller;
  const stopTimer = startTimer(clock, limits.totalTimeout, () =>
    controller.abort(timedOut('totalTimeout', limits)),
  );
  try {
    signal.throwIfAborted();
    for (let retry = 1; ; retry += 1) {
      let scheduled: RetryScheduled;
      try {
        yield* attempt(retry, signal);
        return;
      } catch (error) {
        caller?.throwIfAborted();
        if (!(error instanceof Failure)) throw error;
        const isRateLimit = error.kind === 'rate_limited' && error.transient === true;
        const isRefused = isRateLimit && throttle !== undefined;
        // Then the caller retries, and the client does not.
        if (isRefused) throttle.onRefusal(waitOf(error));
        const cause = rephrase(maskFailure(error, mask), { attempts: retry });
        const retries = isRefused ? 0 : limits.retries;
        const delay = decideRetry(error, retry, { ...limits, retries }, random);
        if (delay === 'wait too long') throw waitTooLong(cause, clock.date());
        if (delay === undefined) {
          const message = `${cause.message} (${retry} attempts)`;
          throw retry === 1 ? cause : rephrase(cause, { message });
        }
        scheduled = { type: 'retry-scheduled', retry, retries: limits.retries, delay, cause };
      }
      yield scheduled;
      await waitForRetry(scheduled, clock, signal, hurry);
    }
  } finally {
    stopTimer();
    unfollow();
  }
}

const waitOf = ({ retryAfterSeconds: seconds }: Failure) =>
  seconds === undefined ? undefined : seconds * 1000;

/** @throws the signal's reason. A Failure, of the total timeout, names the cause of the retry in its message, too. */
async function waitForRetry(
  { delay, cause }: RetryScheduled,
  clock: Clock,
  signal: AbortSignal,
  hurry: ChatOptions['hurry'],
): Promise<void> {
  const { controller: wake, unfollow } = followSignals(signal);
  void hurry?.().then(() => wake.abort());
  try {
    await clock.sleep(delay, wake.signal);
  } catch (error) {
    if (!signal.aborted) return;
    if (!(error instanceof Failure)) throw error;
    const message = `${error.message}; the last attempt failed: ${cause.message}`;
    throw rephrase(error, { message, attempts: cause.attempts });
  } finally {
    unfollow();
  }
}

function waitTooLong(failure: Failure, now: Date): Failure {
  const { message, retryAfterSeconds: seconds = 0 } = failure;
  if (seconds * 1000 > maxWait) {
    return rephrase(failure, {
      message: `${message}; Retry-After is more than a year`,
      remedy: { code: 'ask-about-limits' },
      retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
    });
  }
  const time = localTimeAfter(seconds, now);
  return rephrase(failure, {
    message: `${message}; Retry-After is ${formatWait(seconds)}, until ${time}`,
    remedy: { code: 'wait-until', time, seconds: Math.ceil(seconds) },
  });
}
