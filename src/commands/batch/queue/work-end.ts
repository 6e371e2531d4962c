import { Failure } from '../../../failure.ts';
import { batchOutcome } from '../../../output/batch-progress.ts';
import { count } from '../../../output/figures.ts';
import { Interruption } from '../../../terminal/device/signals.ts';
import type { Stopping } from '../stopping.ts';
import { kindOf } from '../report/summary.ts';
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

/** Prints the summary. @throws the failure or interruption that ended the run */
export function concludeWork(work: Work, end: WorkEnd, elapsed: number): void {
  const { context, presentation, tally } = work;
  const { left } = end;
  const [cause, failure] = [end.cause(), end.failure()];
  const others = left === undefined || left === 0 ? '' : `, ${count(left)} left in the queue`;
  const outcome = `${batchOutcome({ ...tally, elapsed })}${others}`;
  if (cause === 'SIGINT' || context.signal.aborted) {
    presentation.notices.notice(`stopped: ${outcome}`);
    context.signal.throwIfAborted();
    throw new Interruption('SIGINT');
  }
  if (failure !== undefined) {
    const hint = failure.hint === undefined ? rest : `${failure.hint}; ${rest}`;
    const message = `${outcome}; stopped because further items would fail too: ${failure.message}`;
    throw new Failure(kindOf(tally, failure), message, { hint });
  }
  if (cause !== undefined && left !== 0) {
    throw new Failure('unfinished', `stopped by ${cause}: ${outcome}`, { hint: rest });
  }
  if (tally.failed > 0) throw new Failure(kindOf(tally, undefined), outcome, { hint: again });
  presentation.notices.notice(outcome);
}
