import type { Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { startTimer } from './timer.ts';
import { limitInWords } from '../failure/wait-words.ts';

/** One signal for the caller's wish to stop and for the total time limit. */
export interface Deadline {
  /** Aborts with the caller's reason, or with a Failure `unreachable` when the time is over. */
  readonly signal: AbortSignal;
  /** To be called when the work is done. */
  end(): void;
}

/** `limit` is milliseconds from now; 0 and `Infinity` are no limit. */
export function startDeadline(
  clock: Clock,
  limit: number,
  caller: AbortSignal | undefined,
): Deadline {
  const controller = new AbortController();
  const follow = (): void => controller.abort(caller?.reason);
  if (caller?.aborted === true) follow();
  // By hand, as AbortSignal.any keeps its sources alive on Node 20.
  caller?.addEventListener('abort', follow);
  const stopTimer = startTimer(clock, limit, () => controller.abort(timedOut(limit)));
  return {
    signal: controller.signal,
    end() {
      stopTimer();
      caller?.removeEventListener('abort', follow);
    },
  };
}

function timedOut(limit: number): Failure {
  return new Failure('unreachable', `no whole answer came within ${limitInWords(limit)}`, {
    hint: 'allow more time with --timeout, or 0 for no limit',
  });
}
