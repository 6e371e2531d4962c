import { RequestFailure } from './failure/request-failure.ts';
import type { RetryPolicy } from './retry.ts';
import type { Throttle } from './client.ts';

/** The caller, not the client, retries after a refusal. */
export function throttledPolicy(
  error: unknown,
  policy: RetryPolicy,
  throttle: Throttle | undefined,
): RetryPolicy {
  if (throttle === undefined || !(error instanceof RequestFailure)) return policy;
  if (error.kind !== 'rate_limited' || !error.transient) return policy;
  throttle.onRefusal(error.retryAfterMilliseconds);
  return { ...policy, retries: 0 };
}
