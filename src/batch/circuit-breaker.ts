import type { Failure, FailureKind } from '../failure.ts';

/** Detects failures of the service, as opposed to failures of single items. */
export interface CircuitBreaker {
  answered(): void;
  /** @returns whether to stop the run */
  failed(failure: Failure): boolean;
}

/** Failures that every other item would have, too. */
const permanent: ReadonlySet<FailureKind> = new Set(['unauthorized', 'configuration']);
/** Failures caused by the item itself. */
const ofItems: ReadonlySet<FailureKind> = new Set([
  'usage',
  'invalid_request',
  'incomplete',
  'no_answer',
]);

export interface CircuitBreakerOptions {
  /** Consecutive failures, not caused by items, that stop the run. */
  readonly most: number;
  /** Milliseconds; a longer Retry-After stops the run, because the other items would fail, too. */
  readonly maxWait: number;
  /** A recording answers: a missing exchange, a `configuration` failure, concerns one item only. */
  readonly isReplay: boolean;
}

export function createCircuitBreaker({
  most,
  maxWait,
  isReplay,
}: CircuitBreakerOptions): CircuitBreaker {
  let consecutive = 0;
  return {
    answered() {
      consecutive = 0;
    },
    failed({ kind, retryAfterSeconds = 0 }) {
      if (ofItems.has(kind) || (isReplay && kind === 'configuration')) return false;
      consecutive += 1;
      const isLongWait = kind === 'rate_limited' && retryAfterSeconds * 1000 > maxWait;
      return permanent.has(kind) || isLongWait || consecutive >= most;
    },
  };
}
