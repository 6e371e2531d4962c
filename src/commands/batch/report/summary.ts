import { isOfItem, isTransient } from '../../../batch/circuit-breaker.ts';
import type { Tally } from '../../../batch/tally.ts';
import { placeText } from './figures-text.ts';
import { batchOutcome } from './progress.ts';
import type { Stopping } from '../stopping.ts';
import type { SendingRun } from '../plan.ts';
import { exitCodes, Failure, type FailureKind } from '../../../failure.ts';
import { toFailure } from '../../../output/ending-failure.ts';
import { count, countOf } from '../../../output/figures.ts';
import { Interruption, signalExitCodes } from '../../../terminal/device/signals.ts';
import { OutputClosed } from '../../../terminal/device/streams.ts';

/** What differs between a file and a queue in what a run reports at its end. */
export interface EndTexts {
  /** How to get the items without a result. */
  readonly rest: string;
  /** How to send failed items again. */
  readonly retry: string;
  /** `, 14 left`; empty if nothing is left. */
  readonly left: string;
}

/** @param output the file of `-o`; results on standard output cannot be continued @param left undefined if unknown */
export function fileTexts(output: string | undefined, left: number | undefined): EndTexts {
  const unread = ', input not fully read';
  const isSaved = output !== undefined;
  return {
    left: left === undefined ? unread : left === 0 ? '' : `, ${count(left)} left`,
    rest: isSaved ? 'run the same command again for the rest' : 'use -o FILE to be able to resume',
    retry: `${isSaved ? 'run the same command again' : 'use -o FILE to be able'} to retry only these`,
  };
}

/** Kinds of failure that an item has until it is changed; a model may answer differently. */
const repeatedKinds: ReadonlySet<FailureKind> = new Set([
  'usage',
  'invalid_request',
  'not_found',
  'forbidden',
  'configuration',
]);

/** Which items must change: `line 3 (q3) cannot succeed unchanged: correct the input`; undefined without any. */
function repeatedText({ causes }: Tally): string | undefined {
  const repeated = [...causes.values()].filter(({ failure }) => repeatedKinds.has(failure.kind));
  const [first] = repeated.toSorted((one, other) => one.item.index - other.item.index);
  if (first === undefined) return undefined;
  const { failure, item } = first;
  const others = repeated.reduce((sum, one) => sum + one.count, -1);
  const more = others === 0 ? '' : ` and ${countOf(others, 'other item')}`;
  const remedy = failure.kind === 'usage' ? 'correct the input' : (failure.hint ?? 'see its error');
  return `${placeText(item.line, item.id)}${more} cannot succeed unchanged: ${remedy}`;
}

function hintFor(tally: Tally, { retry }: EndTexts, stopFailure: Failure | undefined): string {
  if (stopFailure !== undefined && isOfItem(stopFailure.kind)) {
    const common = stopFailure.hint === undefined ? '' : `: ${stopFailure.hint}`;
    return `correct what all items have in common${common}; or send them all with --keep-going; ${retry}`;
  }
  const repeated = stopFailure === undefined ? repeatedText(tally) : undefined;
  if (repeated !== undefined) return `${repeated}; ${retry}`;
  // The first failure, if nothing was answered and all failures are of its kind.
  const { answered, causes } = tally;
  const only = answered === 0 && causes.size === 1 ? [...causes.values()][0] : undefined;
  const { hint, remedy } = stopFailure ?? only?.failure ?? {};
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
function batchFailure(
  tally: Tally,
  outcome: string,
  texts: EndTexts,
  stopFailure: Failure | undefined,
): Failure | undefined {
  const kind = kindOf(tally, stopFailure);
  if (stopFailure !== undefined && (tally.failed === 0 || stopFailure.kind === 'budget')) {
    const { message, hint } = stopFailure;
    return new Failure(kind, `${message}; ${outcome}`, {
      hint: hint === undefined ? texts.rest : `${hint}; ${texts.rest}`,
    });
  }
  if (tally.failed === 0) return undefined;
  const hasMore = texts.left !== '';
  const reason =
    stopFailure === undefined || !hasMore
      ? ''
      : `; stopped because further items would fail too: ${stopFailure.message}`;
  return new Failure(kind, `${outcome}${reason}`, { hint: hintFor(tally, texts, stopFailure) });
}

/** How a run ended. */
export interface Ending {
  /** Milliseconds from the first request to the last answer. */
  readonly elapsed: number;
  /** What stopped it early: a signal, `--stop-after` or `failure`; null if it ended by itself. */
  readonly stoppedBy: string | null;
  /** The last line; undefined if it is the message of the error. */
  readonly notice: string | undefined;
  /** The failure to throw; undefined if every item is answered. */
  readonly error: unknown;
  /** Items without a result; undefined if unknown. */
  readonly left: number | undefined;
}

/** @param left items without a result; undefined if unknown */
export function endingOf(
  { context, tally }: SendingRun,
  stopping: Stopping,
  elapsed: number,
  left: number | undefined,
  texts: EndTexts,
): Ending {
  const [cause, stopFailure] = [stopping.cause(), stopping.failure()];
  const outcome = `${batchOutcome(tally, elapsed)}${texts.left}`;
  const stoppedBy = cause ?? (stopFailure === undefined ? null : 'failure');
  if (cause === 'SIGINT' || context.signal.aborted) {
    const error: unknown = context.signal.aborted
      ? context.signal.reason
      : new Interruption('SIGINT');
    const isDone = left === 0 && tally.failed === 0;
    const notice = isDone ? outcome : `stopped: ${outcome}; ${texts.rest}`;
    return { elapsed, stoppedBy, left, notice, error };
  }
  const isDrained = cause !== undefined && stopFailure === undefined && left !== 0;
  const error = isDrained
    ? new Failure('unfinished', `stopped by ${cause}: ${outcome}`, { hint: texts.rest })
    : batchFailure(tally, outcome, texts, stopFailure);
  return { elapsed, stoppedBy, left, notice: error === undefined ? outcome : undefined, error };
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
