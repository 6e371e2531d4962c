// The counts of a run, and which failures stop it.
import type { ItemPlace } from './input/item.ts';
import type { Failure, FailureKind } from '../failure.ts';

/**
 * Milliseconds of many answers, in four bytes each. They are outside the heap of V8, which keeps several bytes of
 * garbage for each byte that lives long.
 */
export class Durations {
  #values = new Float32Array(1024);
  #count = 0;

  add(milliseconds: number): void {
    const { length } = this.#values;
    if (this.#count === length) {
      const larger = new Float32Array(2 * length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#count] = milliseconds;
    this.#count += 1;
  }

  /** Sorts them, the shortest first. */
  sorted(): Float32Array {
    return this.#values.subarray(0, this.#count).sort();
  }
}

/** The counts of a run that has not begun. */
export function emptyTally() {
  return {
    /** Items of this run; undefined until the input is read completely. */
    total: undefined as number | undefined,
    /** Items without a result in a queue; undefined until they are counted, and without a queue. */
    queued: undefined as number | undefined,
    /** Answered before this run; of a pipe, only the items that were read so far. */
    already: 0,
    answered: 0,
    failed: 0,
    /** The failed items of a kind: their number, and the one that is the first in the input. */
    causes: new Map<FailureKind, { count: number; failure: Failure; item: ItemPlace }>(),
    /** Failed items that would fail again in another run. */
    lasting: 0,
    /** The tokens of this run's answers as the service reported them. */
    tokens: 0,
    promptTokens: 0,
    completionTokens: 0,
    /** Cost of this run by currency, where the prices are known. */
    costs: new Map<string, number>(),
    attempts: 0,
    /** Answers to prompts that the service has probably cut. */
    truncated: 0,
    /** The times of this run's answers: until their end, and until their first text. */
    latency: new Durations(),
    firstText: new Durations(),
  };
}

export type Tally = ReturnType<typeof emptyTally>;

/** Items without a result of this run or an earlier one; undefined until the input is read completely. */
export function itemsLeft({ total, already, answered, failed }: Tally): number | undefined {
  return total === undefined ? undefined : total - already - answered - failed;
}

/** Milliseconds left at the rate of this run; undefined if unknown. @param elapsed milliseconds of this run */
export function timeLeft(tally: Tally, elapsed: number): number | undefined {
  const left = itemsLeft(tally);
  const done = tally.answered + tally.failed;
  return left === undefined || done === 0 ? undefined : (left * elapsed) / done;
}

export function countFailure(tally: Tally, failure: Failure, item: ItemPlace): void {
  const { kind } = failure;
  // Not the item itself, whose prompt may be long.
  const { index, line, id } = item;
  const found = { failure, item: { index, line, id } };
  const { count, ...before } = tally.causes.get(kind) ?? { ...found, count: 0 };
  const first = index < before.item.index ? found : before;
  tally.causes.set(kind, { ...first, count: count + 1 });
  tally.failed += 1;
  if (!isTransient(failure)) tally.lasting += 1;
}

/** Failures that another run, minutes later, may not have. */
const transientKinds: ReadonlySet<FailureKind> = new Set([
  'rate_limited',
  'server_error',
  'unreachable',
  'incomplete',
]);

/** Remedies for which somebody has to act first. */
const lastingRemedies = new Set(
  [
    'check-quota check-base-url correct-base-url set-base-url use-https',
    'trust-authority trust-certificate replace-certificate check-clock',
    'raise-header-limit raise-max-tokens',
  ].flatMap((codes) => codes.split(' ')),
);

/** Whether another run of the same command can help, so that a scheduler may queue it again. */
export function isTransient({ kind, remedy }: Failure): boolean {
  if (!transientKinds.has(kind)) return false;
  if (remedy === undefined) return true;
  // The server does not speak TLS. A server that expects TLS looks the same as one that crashed.
  if (remedy.code === 'check-scheme') return remedy.scheme !== 'http';
  return !lastingRemedies.has(remedy.code);
}

/** Failures that every other item would have, too. */
const permanent: ReadonlySet<FailureKind> = new Set(['unauthorized', 'configuration']);
/** Kinds of failures that are usually caused by the item itself. */
export const ofItems: ReadonlySet<FailureKind> = new Set([
  'usage',
  'invalid_request',
  'incomplete',
  'mismatch',
  'no_answer',
]);

/** Detects failures that other items would have, too: of the service, or of what all items have in common. */
export function createCircuitBreaker({
  most,
  maxWait,
  isReplay,
  mostAlike,
  hasAnswers,
}: {
  /** Consecutive failures, not caused by items, that stop the run. */
  readonly most: number;
  /** Milliseconds; a longer Retry-After stops the run, because the other items would fail, too. */
  readonly maxWait: number;
  /** A recording answers: a missing exchange, a `configuration` failure, concerns one item only. */
  readonly isReplay: boolean;
  /** Failures caused by items that stop the run if they are alike and there was no answer; `Infinity` for none. */
  readonly mostAlike: number;
  /** Whether an earlier run got an answer. */
  readonly hasAnswers: () => boolean;
}) {
  let consecutive = 0;
  let first: string | undefined;
  /** Failures like the first one; never enough after an answer or a different failure. */
  let alike = 0;
  return {
    answered(): void {
      consecutive = 0;
      alike = -Infinity;
    },
    /** @returns whether to stop the run */
    failed({ kind, message, retryAfterSeconds = 0 }: Failure): boolean {
      const cause = `${kind} ${message}`;
      first ??= cause;
      alike += cause === first ? 1 : -Infinity;
      if (isReplay && kind === 'configuration') return false;
      if (ofItems.has(kind)) return alike >= mostAlike && !hasAnswers();
      consecutive += 1;
      const isLongWait = kind === 'rate_limited' && retryAfterSeconds * 1000 > maxWait;
      return permanent.has(kind) || isLongWait || consecutive >= most;
    },
  };
}
