import type { RetryScheduled } from '../client/events.ts';

/**
 * The delay to show for a retry, in milliseconds: the service's `Retry-After`, without the jitter that natter adds, else
 * the scheduled delay.
 */
export function expectedDelay({ delay, cause }: RetryScheduled): number {
  const requested = cause.retryAfterSeconds;
  return requested === undefined ? delay : Math.min(delay, requested * 1000);
}
