import { RequestFailure } from './failure/request-failure.ts';
import type { Transport } from './http/transport.ts';
import type { RetryPolicy } from './retry.ts';
import type { Throttle } from './client.ts';

/** @param throttle undefined sends without one */
export function throttled(send: Transport, throttle: Throttle | undefined): Transport {
  if (throttle === undefined) return send;
  return async (request, signal) => {
    const permission = throttle.beforeRequest();
    if (permission !== undefined) await permission;
    const response = await send(request, signal);
    throttle.onResponse(response);
    return response;
  };
}

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
