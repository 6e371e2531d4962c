import { Failure, type FailureKind } from '../../../failure.ts';
import { batchOutcome } from '../report/batch-progress.ts';
import { count } from '../../../output/figures.ts';
import { Interruption } from '../../../terminal/device/signals.ts';
import type { Stopping } from '../stopping.ts';
import type { Ending } from '../report/ending.ts';
import { kindOf, repeatedText } from '../report/summary.ts';
import { saveResults } from './result-keeper.ts';
import type { Work } from './work.ts';

/** How a run of a worker ended. */
export interface WorkEnd extends Pick<Stopping, 'cause' | 'failure'> {
  /** Items without a result; undefined if unknown. */
  readonly left: number | undefined;
}

/** Writes results that the queue does not have into a file of the current folder. */
export function saveUnsaved({ keeper, queue, presentation }: Work): void {
  const results = keeper.unsaved();
  if (results.length === 0) return;
  const file = `${queue.name}-unsaved.jsonl`;
  saveResults(file, results);
  const what = results.length === 1 ? '1 result' : `${count(results.length)} results`;
  presentation.notices.warning(
    `${what} could not be stored in the queue and went into ${file}; natter batch merge adds them to collected results`,
  );
}

const again = 'natter batch submit lets failed items wait again; then run natter batch work';
const rest = 'run natter batch work again for the rest';

/** What a worker reports at its end, with its exit code. */
export function endingOfWork(work: Work, end: WorkEnd, elapsed: number): Ending {
  const { context, tally } = work;
  const { left } = end;
  const [cause, failure] = [end.cause(), end.failure()];
  const others = left === undefined || left === 0 ? '' : `, ${count(left)} left in the queue`;
  const outcome = `${batchOutcome({ ...tally, elapsed })}${others}`;
  const stoppedBy = cause ?? (failure === undefined ? null : 'failure');
  const failed = (kind: FailureKind, message: string, hint: string): Ending => {
    return { elapsed, stoppedBy, notice: undefined, error: new Failure(kind, message, { hint }) };
  };
  if (cause === 'SIGINT' || context.signal.aborted) {
    const reason: unknown = context.signal.reason;
    const error = context.signal.aborted ? reason : new Interruption('SIGINT');
    return { elapsed, stoppedBy, notice: `stopped: ${outcome}`, error };
  }
  if (failure !== undefined) {
    const hint = failure.hint === undefined ? rest : `${failure.hint}; ${rest}`;
    const message = `${outcome}; stopped because further items would fail too: ${failure.message}`;
    return failed(kindOf(tally, failure), message, hint);
  }
  if (cause !== undefined && left !== 0) {
    return failed('unfinished', `stopped by ${cause}: ${outcome}`, rest);
  }
  if (tally.failed > 0) {
    const repeated = repeatedText(tally);
    const hint = repeated === undefined ? again : `${again}; ${repeated}`;
    return failed(kindOf(tally, undefined), outcome, hint);
  }
  return { elapsed, stoppedBy: null, notice: outcome, error: undefined };
}
