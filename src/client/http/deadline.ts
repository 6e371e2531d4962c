import type { Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { startTimer } from './timer.ts';
import { limitInWords } from '../failure/wait-words.ts';

/** One signal for the caller's abort and the total time limit. */
export interface Deadline {
  /** Aborts with the caller's reason, or with a Failure `unreachable` when the time is over. */
  readonly signal: AbortSignal;
  /** Call it when the work is done. */
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
  // Not AbortSignal.any, which keeps its sources alive on Node 20.
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
  return new Failure('unreachable', `the answer was not complete within ${limitInWords(limit)}`, {
    remedy: { code: 'raise-timeout', limit: 'totalTimeout' },
  });
}
