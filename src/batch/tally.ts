import { isTransient } from './circuit-breaker.ts';
import type { ItemPlace } from './input/item.ts';
import type { Failure, FailureKind } from '../failure.ts';

/** The counts of a run that has not begun. */
export function emptyTally() {
  return {
    /** Items of this run; undefined until the input is read completely. */
    total: undefined as number | undefined,
    /** Items without a result in a queue; undefined until they are counted, and without a queue. */
    queued: undefined as number | undefined,
    /** Answered before this run; of a pipe, only the items that were read so far. */
    already: 0,
    /** Answered in this run. */
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
    /** Requests sent. */
    attempts: 0,
    /** Answers to prompts that the service has probably cut. */
    truncated: 0,
    /** Milliseconds of this run's answers: until their end, and until their first text. */
    latency: [] as number[],
    firstText: [] as number[],
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
