import { itemsLeft, type Tally } from '../../batch/tally.ts';
import { Failure, type FailureKind } from '../../failure.ts';
import { batchOutcome } from '../../output/batch-words.ts';
import { count } from '../../output/figures.ts';

/** The end of a run. */
export interface BatchEnd {
  readonly tally: Tally;
  /** Milliseconds. */
  readonly elapsed: number;
  /** The file of `-o`. */
  readonly output: string | undefined;
  /** Why the run stopped early, if the service fails. */
  readonly gaveUp: Failure | undefined;
}

export const outcomeText = ({ tally, elapsed }: BatchEnd) => batchOutcome({ ...tally, elapsed });

function hintOf({ output, gaveUp, tally }: BatchEnd): string {
  if (output !== undefined && [...tally.causes.keys()].join() === 'usage') {
    return 'correct the lines named in the results, then run the same command to retry only those';
  }
  const again =
    output === undefined
      ? 'use -o FILE to be able to retry only these'
      : 'run the same command again to retry only these';
  return gaveUp?.hint === undefined ? again : `${gaveUp.hint}; ${again}`;
}

/** A single cause keeps its exit code; several give `unexpected`. */
export function kindOf({ causes }: Tally, gaveUp: Failure | undefined): FailureKind {
  if (gaveUp !== undefined) return gaveUp.kind;
  const [kind = 'unexpected', another] = causes.keys();
  return another === undefined ? kind : 'unexpected';
}

/** The failure of a run with unanswered items; undefined if all are answered. */
export function batchFailure(end: BatchEnd): Failure | undefined {
  const { tally, gaveUp } = end;
  if (tally.failed === 0) return undefined;
  const reason =
    gaveUp === undefined ? '' : `; stopped because further items would fail too: ${gaveUp.message}`;
  return new Failure(kindOf(tally, gaveUp), `${outcomeText(end)}${reason}`, { hint: hintOf(end) });
}

/** Items left: ``, `, 14 left`, or that the input was not fully read. */
function restText(left: number | undefined): string {
  if (left === undefined) return ', input not fully read';
  return left === 0 ? '' : `, ${count(left)} left`;
}

/** The summary of a run that a signal stopped. */
export function stoppedText(end: BatchEnd): string {
  const { tally, output } = end;
  const left = itemsLeft(tally);
  if (left === 0 && tally.failed === 0) return outcomeText(end);
  const again = output === undefined ? '' : '; run the same command again for the rest';
  return `stopped: ${outcomeText(end)}${restText(left)}${again}`;
}

/**
 * The failure of a run drained because of `signal`: `incomplete` if items are left, undefined if all are answered.
 */
export function drainFailure(end: BatchEnd, signal: string): Failure | undefined {
  const left = itemsLeft(end.tally);
  if (left === 0) return batchFailure(end);
  const hint =
    end.output === undefined
      ? 'use -o FILE to be able to resume'
      : 'run the same command again for the rest';
  const message = `stopped by ${signal}: ${outcomeText(end)}${restText(left)}`;
  return new Failure('incomplete', message, { hint });
}
