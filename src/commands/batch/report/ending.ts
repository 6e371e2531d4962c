import type { Tally } from '../../../batch/tally.ts';
import { exitCodes } from '../../../failure.ts';
import { toFailure } from '../../../output/ending-failure.ts';
import { Interruption, signalExitCodes } from '../../../terminal/device/signals.ts';
import { OutputClosed } from '../../../terminal/device/streams.ts';
import type { Context } from '../../program/context.ts';
import type { Stopping } from '../stopping.ts';
import { batchFailure, drainFailure, outcomeText, stoppedText } from './summary.ts';

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
