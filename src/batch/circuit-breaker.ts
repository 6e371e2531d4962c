import type { Failure, FailureKind } from '../failure.ts';

/** Notices that the service, and not an item, is what fails. */
export interface CircuitBreaker {
  answered(): void;
  /** @returns whether to begin nothing more */
  failed(failure: Failure): boolean;
}

/** What the next item would meet as well. */
const certain: ReadonlySet<FailureKind> = new Set(['unauthorized', 'configuration']);
/** What lies in the item itself. */
const ofItems: ReadonlySet<FailureKind> = new Set([
  'usage',
  'invalid_request',
  'incomplete',
  'no_answer',
]);

export interface CircuitBreakerOptions {
  /** Failures in a row, of any cause but the item's own, after which to give up. */
  readonly most: number;
  /** Milliseconds that the service may ask to wait: longer than that, the next item is refused as well. */
  readonly longestWait: number;
  /** A recording answers: that it lacks an item says nothing about the next one. */
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
