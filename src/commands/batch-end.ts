import type { Tally } from '../batch/tally.ts';
import { Failure, type FailureKind } from '../failure.ts';
import { batchOutcome } from '../output/batch-words.ts';

/** How a run came to its end. */
export interface BatchEnd {
  readonly tally: Tally;
  /** Milliseconds. */
  readonly elapsed: number;
  /** The file of `-o`. */
  readonly output: string | undefined;
  /** Why nothing more was begun, where the service fails. */
  readonly gaveUp: Failure | undefined;
}

export const outcomeText = ({ tally, elapsed }: BatchEnd) => batchOutcome({ ...tally, elapsed });

function hintOf({ output, gaveUp, tally }: BatchEnd): string {
  if (output !== undefined && [...tally.causes.keys()].join() === 'usage') {
    return 'correct the lines that the results name; the same command then asks only those';
  }
  const again =
    output === undefined
      ? 'with -o FILE the same command would ask only those again'
      : 'the same command asks those again, and only those';
  return gaveUp?.hint === undefined ? again : `${gaveUp.hint}; ${again}`;
}

/** One cause has its own exit code, several have that of `unexpected`. */
export function kindOf({ causes }: Tally, gaveUp: Failure | undefined): FailureKind {
  if (gaveUp !== undefined) return gaveUp.kind;
  const [kind = 'unexpected', another] = causes.keys();
  return another === undefined ? kind : 'unexpected';
}

/** What a run that did not answer everything fails with; undefined for one that did. */
export function batchFailure(end: BatchEnd): Failure | undefined {
  const { tally, gaveUp } = end;
  if (tally.failed === 0) return undefined;
  const reason =
    gaveUp === undefined ? '' : `; stopped, as others would fail too: ${gaveUp.message}`;
  return new Failure(kindOf(tally, gaveUp), `${outcomeText(end)}${reason}`, { hint: hintOf(end) });
}
