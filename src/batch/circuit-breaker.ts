import type { Failure, FailureKind } from '../failure.ts';

/** Detects that the service fails, not single items. */
export interface CircuitBreaker {
  answered(): void;
  /** @returns whether to stop the run */
  failed(failure: Failure): boolean;
}

/** Failures that every further item would have. */
const certain: ReadonlySet<FailureKind> = new Set(['unauthorized', 'configuration']);
/** Failures caused by the item itself. */
const ofItems: ReadonlySet<FailureKind> = new Set([
  'usage',
  'invalid_request',
  'incomplete',
  'no_answer',
]);

export interface CircuitBreakerOptions {
  /** Consecutive failures not caused by items, after which to stop. */
  readonly most: number;
  /** Longest Retry-After in milliseconds; with a longer one, further items would fail, too. */
  readonly longestWait: number;
  /** In a replay, a missing exchange says nothing about the next item. */
  readonly isReplay: boolean;
}

export function createCircuitBreaker({
  most,
  longestWait,
  isReplay,
}: CircuitBreakerOptions): CircuitBreaker {
  let inRow = 0;
  return {
    answered() {
      inRow = 0;
    },
    failed({ kind, retryAfterSeconds = 0 }) {
      if (ofItems.has(kind) || (isReplay && kind === 'configuration')) return false;
      inRow += 1;
      const isLongWait = kind === 'rate_limited' && retryAfterSeconds * 1000 > longestWait;
      return certain.has(kind) || isLongWait || inRow >= most;
    },
  };
}
