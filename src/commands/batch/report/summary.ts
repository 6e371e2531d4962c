import { isOfItem, isTransient } from '../../../batch/circuit-breaker.ts';
import { itemsLeft, type Tally } from '../../../batch/tally.ts';
import { placeText } from './figures-text.ts';
import { batchOutcome } from './show-progress.ts';
import type { Stopping } from '../stopping.ts';
import type { Context } from '../../../run.ts';
import { exitCodes, Failure, type FailureKind } from '../../../failure.ts';
import { toFailure } from '../../../output/ending-failure.ts';
import { count } from '../../../output/figures.ts';
import { Interruption, signalExitCodes } from '../../../terminal/device/signals.ts';
import { OutputClosed } from '../../../terminal/device/streams.ts';

interface BatchEnd {
  readonly tally: Tally;
  /** Milliseconds. */
  readonly elapsed: number;
  /** The file of `-o`. */
  readonly output: string | undefined;
  /** The failure that stopped the run early, because it would repeat. */
  readonly stopFailure: Failure | undefined;
}

const outcomeText = ({ tally, elapsed }: BatchEnd) => batchOutcome({ ...tally, elapsed });

/** The first failure, if nothing was answered and all failures are of its kind. */
function onlyCause({ answered, examples }: Tally): Failure | undefined {
  return answered === 0 && examples.size === 1 ? [...examples.values()][0]?.failure : undefined;
}

/** Kinds of failure that an item has each time; a model may answer differently. */
const repeatedKinds: ReadonlySet<FailureKind> = new Set([
  'usage',
  'invalid_request',
  'not_found',
  'forbidden',
  'configuration',
]);

/** What is wrong with items that fail each time: `line 3 (q3) fails each time: --dry-run shows …`; undefined without any. */
export function repeatedText({ examples, causes }: Tally): string | undefined {
  const repeated = [...examples.values()].filter(({ failure }) => repeatedKinds.has(failure.kind));
  const [first] = repeated.toSorted((one, other) => one.item.index - other.item.index);
  if (first === undefined) return undefined;
  const { failure, item } = first;
  const number = repeated.reduce((sum, one) => sum + (causes.get(one.failure.kind) ?? 0), 0);
  const place = placeText({ line: item.line, id: item.id ?? null });
  const items = number === 1 ? `${place} fails` : `${count(number)} items, first ${place}, fail`;
  const remedy = failure.kind === 'usage' ? 'correct it' : (failure.hint ?? 'see its error');
  return `${items} each time: ${remedy}`;
}

function hintFor({ output, stopFailure, tally }: BatchEnd): string {
  const repeated = repeatedText(tally);
  const kinds = [...tally.causes.keys()];
  if (output !== undefined && kinds.join() === 'usage') {
    return 'correct the lines named in the results, then run the same command to retry only those';
  }
  const isAll = kinds.every((kind) => repeatedKinds.has(kind));
  const again = isAll ? 'after a correction, run the same command' : 'run the same command again';
  const retry =
    output === undefined
      ? 'use -o FILE to be able to retry only these'
      : `${again} to retry only these`;
  if (stopFailure !== undefined && isOfItem(stopFailure.kind)) {
    const common = stopFailure.hint === undefined ? '' : `: ${stopFailure.hint}`;
    return `correct what all items have in common${common}; or send them all with --keep-going; ${retry}`;
  }
  if (stopFailure === undefined && repeated !== undefined) {
    return isAll ? `${repeated}; ${retry}` : `${retry}; ${repeated}`;
  }
  const { hint, remedy } = stopFailure ?? onlyCause(tally) ?? {};
  return hint === undefined || remedy?.code === 'send-again' ? retry : `${hint}; ${retry}`;
}

/**
 * The kind of a run's failure, for its exit code: `unfinished` if another run can help; several causes are
 * `unexpected`.
 */
export function kindOf(
  { causes, failed, lasting }: Tally,
  stopFailure: Failure | undefined,
): FailureKind {
  if (stopFailure !== undefined) return isTransient(stopFailure) ? 'unfinished' : stopFailure.kind;
  if (failed > 0 && lasting === 0) return 'unfinished';
  const [kind = 'unexpected', ...others] = causes.keys();
  return others.length === 0 ? kind : 'unexpected';
}

/** The failure of a run with failed items, or that stopped early; undefined for any other. */
export function batchFailure(end: BatchEnd): Failure | undefined {
  const { tally, stopFailure } = end;
  if (stopFailure !== undefined && (tally.failed === 0 || stopFailure.kind === 'budget')) {
    return stoppedFailure(end, stopFailure);
  }
  if (tally.failed === 0) return undefined;
  const reason =
    stopFailure === undefined
      ? ''
      : `; stopped because further items would fail too: ${stopFailure.message}`;
  return new Failure(kindOf(tally, stopFailure), `${outcomeText(end)}${reason}`, {
    hint: hintFor(end),
  });
}

/** How to get the rest; results on standard output cannot be continued. */
const againText = (output: string | undefined) =>
  output === undefined
    ? 'use -o FILE to be able to resume'
    : 'run the same command again for the rest';

/** The failure of a run that a limit or a wrong setting stopped. */
function stoppedFailure(end: BatchEnd, { kind, message, hint }: Failure): Failure {
  const again = againText(end.output);
  const text = `${message}; ${outcomeText(end)}${restText(itemsLeft(end.tally))}`;
  return new Failure(kind, text, { hint: hint === undefined ? again : `${hint}; ${again}` });
}

/** `, 14 left`; empty if nothing is left. */
function restText(left: number | undefined): string {
  if (left === undefined) return ', input not fully read';
  return left === 0 ? '' : `, ${count(left)} left`;
}

export function stoppedText(end: BatchEnd): string {
  const { tally, output } = end;
  const left = itemsLeft(tally);
  if (left === 0 && tally.failed === 0) return outcomeText(end);
  return `stopped: ${outcomeText(end)}${restText(left)}; ${againText(output)}`;
}

/** The failure of a run that `cause` stopped: `unfinished` if items are left, else as {@link batchFailure}. */
function drainFailure(end: BatchEnd, cause: string): Failure | undefined {
  const left = itemsLeft(end.tally);
  if (left === 0) return batchFailure(end);
  const hint = againText(end.output);
  const message = `stopped by ${cause}: ${outcomeText(end)}${restText(left)}`;
  return new Failure('unfinished', message, { hint });
}

/** How a run ended. */
export interface Ending {
  /** Milliseconds from the first request to the last answer. */
  readonly elapsed: number;
  /** What stopped it early: a signal, `--stop-after` or `failure`; null if it ended by itself. */
  readonly stoppedBy: string | null;
  /** The last line; undefined if it is the message of the error. */
  readonly notice: string | undefined;
  /** To be thrown; undefined if every item is answered. */
  readonly error: unknown;
  /** Items without a result in a queue; undefined if unknown. */
  readonly left?: number | undefined;
}

interface EndedRun {
  readonly context: Context;
  readonly options: { readonly output?: string };
  readonly tally: Tally;
}

export function endingOf(
  { context, options, tally }: EndedRun,
  stopping: Pick<Stopping, 'cause' | 'failure'>,
  elapsed: number,
): Ending {
  const [cause, stopFailure] = [stopping.cause(), stopping.failure()];
  const end = { tally, elapsed, output: options.output, stopFailure };
  const stoppedBy = cause ?? (stopFailure === undefined ? null : 'failure');
  if (cause === 'SIGINT' || context.signal.aborted) {
    const error: unknown = context.signal.aborted
      ? context.signal.reason
      : new Interruption('SIGINT');
    return { elapsed, stoppedBy, notice: stoppedText(end), error };
  }
  const isDrained = cause !== undefined && stopFailure === undefined;
  const error = isDrained ? drainFailure(end, cause) : batchFailure(end);
  const notice = error === undefined ? outcomeText(end) : undefined;
  return { elapsed, stoppedBy, notice, error };
}

/** The exit code of `error`, with the name that `natter help exit-codes` has for it. */
export function exitOf(error: unknown): { readonly code: number; readonly name: string } {
  if (error === undefined || error instanceof OutputClosed) return { code: 0, name: 'answered' };
  if (error instanceof Interruption) {
    return { code: signalExitCodes[error.signal], name: error.signal };
  }
  const { kind } = toFailure(error);
  return { code: exitCodes[kind], name: kind };
}
