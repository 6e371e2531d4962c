import type { Failure, FailureKind } from '../failure.ts';

/** Detects failures that other items would have, too: of the service, or of what all items have in common. */
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
  'mismatch',
  'no_answer',
]);

/** Whether failures of this kind are usually caused by the item itself. */
export function isOfItem(kind: FailureKind): boolean {
  return ofItems.has(kind);
}

export interface CircuitBreakerOptions {
  /** Consecutive failures, not caused by items, that stop the run. */
  readonly most: number;
  /** Milliseconds; a longer Retry-After stops the run, because the other items would fail, too. */
  readonly maxWait: number;
  /** A recording answers: a missing exchange, a `configuration` failure, concerns one item only. */
  readonly isReplay: boolean;
  /**
   * Failures caused by items that stop the run if they are alike and there was no answer; `Infinity` by default.
   */
  readonly mostAlike?: number;
  /** Whether an earlier run got an answer. */
  readonly hasAnswers?: () => boolean;
}

/** Counts equal failures as long as there is no answer. */
function createAlike({ mostAlike = Infinity, hasAnswers = () => false }: CircuitBreakerOptions) {
  let first: string | undefined;
  let count = 0;
  return {
    end() {
      count = -Infinity;
    },
    /** @returns whether all failures were like this one, and enough */
    add({ kind, message }: Failure): boolean {
      const cause = `${kind} ${message}`;
      first ??= cause;
      count += cause === first ? 1 : -Infinity;
      return count >= mostAlike && !hasAnswers();
    },
  };
}

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { most, maxWait, isReplay } = options;
  const alike = createAlike(options);
  let consecutive = 0;
  return {
    answered() {
      consecutive = 0;
      alike.end();
    },
    failed(failure) {
      const { kind, retryAfterSeconds = 0 } = failure;
      const areAlike = alike.add(failure);
      if (isReplay && kind === 'configuration') return false;
      if (ofItems.has(kind)) return areAlike;
      consecutive += 1;
      const isLongWait = kind === 'rate_limited' && retryAfterSeconds * 1000 > maxWait;
      return permanent.has(kind) || isLongWait || consecutive >= most;
    },
  };
}
