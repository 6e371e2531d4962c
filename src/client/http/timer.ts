import { startTimer, type Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { formatLimit } from '../failure/format-duration.ts';

export interface IdleWatch {
  /** Data arrived. */
  touch(): void;
  /** The receiver is busy, so silence is not the sender's fault; `touch` resumes. */
  pause(): void;
  stop(): void;
}

/** Calls `onIdle` once after `limit` milliseconds without a touch (0 and `Infinity`: never), counted from now. */
export function watchIdle(clock: Clock, limit: number, onIdle: () => void): IdleWatch {
  let since = clock.monotonic();
  let paused = false;
  let stop = startTimer(clock, limit, check);
  // One timer for many touches: the silence is computed only when it expires.
  function check(): void {
    const silence = paused ? 0 : clock.monotonic() - since;
    if (silence >= limit) onIdle();
    else stop = startTimer(clock, limit - silence, check);
  }
  return {
    touch() {
      paused = false;
      since = clock.monotonic();
    },
    pause() {
      paused = true;
    },
    stop: () => stop(),
  };
}

/** One signal for the caller's abort and the total timeout. */
export interface Deadline {
  /** Aborts with the caller's reason, or with a Failure `unreachable` when the time is over. */
  readonly signal: AbortSignal;
  end(): void;
}

function endNothing(): void {
  // Without a limit, nothing was started.
}

/** `limit` is milliseconds from now; 0 and `Infinity` are no limit. */
export function startDeadline(
  clock: Clock,
  limit: number,
  caller: AbortSignal | undefined,
): Deadline {
  if (limit === 0 || limit === Infinity) {
    return { signal: caller ?? new AbortController().signal, end: endNothing };
  }
  const controller = new AbortController();
  const follow = (): void => controller.abort(caller?.reason);
  if (caller?.aborted === true) follow();
  // Not AbortSignal.any, which keeps its sources alive on Node 20.
  caller?.addEventListener('abort', follow);
  const stopTimer = startTimer(clock, limit, () => controller.abort(totalTimedOut(limit)));
  return {
    signal: controller.signal,
    end() {
      stopTimer();
      caller?.removeEventListener('abort', follow);
    },
  };
}

function totalTimedOut(limit: number): Failure {
  return new Failure('unreachable', `the answer was not complete within ${formatLimit(limit)}`, {
    remedy: { code: 'raise-timeout', limit: 'totalTimeout' },
  });
}
