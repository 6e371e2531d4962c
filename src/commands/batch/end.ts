import { itemsLeft, type Tally } from '../../batch/tally.ts';
import { Failure, type FailureKind } from '../../failure.ts';
import { batchOutcome } from '../../output/batch-words.ts';
import { count } from '../../output/figures.ts';

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
    return 'correct the lines named in the results, then run the same command to retry only those';
  }
  const again =
    output === undefined
      ? 'use -o FILE to be able to retry only these'
      : 'run the same command again to retry only these';
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
    gaveUp === undefined ? '' : `; stopped because further items would fail too: ${gaveUp.message}`;
  return new Failure(kindOf(tally, gaveUp), `${outcomeText(end)}${reason}`, { hint: hintOf(end) });
}

/** What is left to ask: ``, `, 14 left`, or that the input was not read to its end. */
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
 * What a run fails with that finished its answers and asked nothing more because of `signal`: `incomplete` where
 * items are left; undefined where all are answered.
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
