import { isTransient } from './circuit-breaker.ts';
import type { ItemPlace } from './input/item.ts';
import type { Failure, FailureKind } from '../failure.ts';

export interface Tally {
  /** Items of this run; undefined until the input is read completely. */
  total: number | undefined;
  /** Answered before this run; of a pipe, only the items that were read so far. */
  already: number;
  /** Answered in this run. */
  answered: number;
  failed: number;
  readonly causes: Map<FailureKind, number>;
  /** The failed item of each kind that is the first one in the input. */
  readonly examples: Map<FailureKind, { readonly failure: Failure; readonly item: ItemPlace }>;
  /** Failed items that would fail again in another run. */
  lasting: number;
  /** Of this run's answers, as reported by the service. */
  tokens: number;
  /** Cost of this run by currency, where the prices are known. */
  readonly costs: Map<string, number>;
  promptTokens: number;
  completionTokens: number;
  /** Requests sent. */
  attempts: number;
  /** Answers to prompts that the service has probably cut. */
  truncated: number;
  /** Milliseconds of this run's answers: until their end, and until their first text. */
  readonly latency: number[];
  readonly firstText: number[];
}

export function emptyTally(): Tally {
  return {
    total: undefined,
    already: 0,
    answered: 0,
    failed: 0,
    causes: new Map(),
    examples: new Map(),
    lasting: 0,
    tokens: 0,
    costs: new Map(),
    promptTokens: 0,
    completionTokens: 0,
    attempts: 0,
    truncated: 0,
    latency: [],
    firstText: [],
  };
}

/** Items without a result of this run or an earlier one; undefined until the input is read completely. */
export function itemsLeft({ total, already, answered, failed }: Tally): number | undefined {
  return total === undefined ? undefined : total - already - answered - failed;
}

export function countFailure(tally: Tally, failure: Failure, item: ItemPlace): void {
  const { kind } = failure;
  const first = tally.examples.get(kind)?.item.index ?? Infinity;
  // Not the item itself, whose prompt may be long.
  const { index, line, id } = item;
  if (index < first) tally.examples.set(kind, { failure, item: { index, line, id } });
  tally.failed += 1;
  if (!isTransient(failure)) tally.lasting += 1;
  tally.causes.set(kind, (tally.causes.get(kind) ?? 0) + 1);
}

/** Forgets the failures before failed items are sent again. */
export function forgetFailures(tally: Tally): void {
  tally.failed = 0;
  tally.lasting = 0;
  tally.causes.clear();
  tally.examples.clear();
}
