import type { FailureKind } from '../failure.ts';

/** Counts of a run. */
export interface Tally {
  /** Items that belong to this run; undefined while the input has not been read to its end. */
  total: number | undefined;
  /** Answered before this run, as far as is known: of a file all, of a pipe those that were read. */
  already: number;
  /** Answered in this run. */
  answered: number;
  failed: number;
  readonly causes: Map<FailureKind, number>;
  /** Of the answers of this run, as far as the service counted. */
  tokens: number;
}

export function emptyTally(): Tally {
  return {
    total: undefined,
    already: 0,
    answered: 0,
    failed: 0,
    causes: new Map(),
    tokens: 0,
  };
}

/** Items that have no result of this run or an earlier one; undefined while the input has not been read to its end. */
export function itemsLeft({ total, already, answered, failed }: Tally): number | undefined {
  return total === undefined ? undefined : total - already - answered - failed;
}

export function countFailure(tally: Tally, kind: FailureKind): void {
  tally.failed += 1;
  tally.causes.set(kind, (tally.causes.get(kind) ?? 0) + 1);
}
