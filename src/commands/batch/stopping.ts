import type { Failure } from '../../failure.ts';
import type { Clock } from '../../clock.ts';
import type { SendingRun } from './plan.ts';
import type { Context } from '../../run.ts';

/** What stopped a run: a signal, or a limit on its time. */
type StopCause = 'SIGINT' | 'SIGTERM' | 'SIGUSR1' | '--stop-after';

export interface Stopping {
  /** Aborts when no more items may start. */
  readonly stop: AbortSignal;
  /** Aborts when running requests are cancelled. */
  readonly cancel: AbortSignal;
  readonly cause: () => StopCause | undefined;
  /** A failure that would repeat for the other items. */
  readonly failure: () => Failure | undefined;
  /** Starts no more items; the cause is reported elsewhere. */
  readonly halt: () => void;
  /** Starts no more items because of a failure; the first one counts. */
  readonly fail: (failure: Failure) => void;
  /** Removes the handlers. */
  readonly end: () => void;
}

/** Milliseconds from SIGTERM until running requests are cancelled: Kubernetes and Slurm kill a job after 30 seconds. */
const terminationTime = 25_000;

/** Milliseconds; `timeout` of the coreutils and process groups deliver one SIGTERM twice. */
const sameSignal = 1000;

/** Calls `act` after `wait` milliseconds, unless `ended` aborts. */
export async function after(
  clock: Clock,
  wait: number,
  ended: AbortSignal,
  act: () => void,
): Promise<void> {
  try {
    await clock.sleep(wait, ended);
    act();
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}

/** The first SIGTERM limits the time of running requests, the second one cancels them, the third one ends natter. */
function stopOnTermination(
  { clock, device }: Context,
  ended: AbortSignal,
  stop: (cause: StopCause, notice: string) => void,
  cancel: () => void,
): () => void {
  let first: number | undefined;
  const remove = device.onTerminate(() => {
    const now = clock.monotonic();
    if (first === undefined) {
      first = now;
      const limit = `${terminationTime / 1000} s`;
      stop('SIGTERM', `SIGTERM: finishing running requests within ${limit}, sending no new ones`);
      void after(clock, terminationTime, ended, cancel);
    } else if (now - first >= sameSignal) {
      remove();
      cancel();
    }
  });
  return remove;
}

/**
 * Watches for all that stops a run early. The first Ctrl+C lets running requests finish, the second one ends natter.
 * SIGUSR1 never ends natter, because schedulers may send it several times.
 * @param clear is called before a notice is written
 */
export function watchStopping(run: SendingRun, clear: () => void): Stopping {
  const { context, presentation, plan, broken } = run;
  const { device, clock, signal } = context;
  const stopping = new AbortController();
  const cancelling = new AbortController();
  const ending = new AbortController();
  let cause: StopCause | undefined;
  let failure: Failure | undefined;
  const stop = (found: StopCause, notice: string) => {
    if (cause !== 'SIGINT') cause = found;
    stopping.abort();
    clear();
    presentation.notices.notice(notice);
  };
  const removeInterrupt = device.onInterrupt(() => {
    removeInterrupt();
    stop('SIGINT', 'finishing running requests; press Ctrl+C again to cancel them');
  });
  const removeTimeLimit = device.onTimeLimit(() => {
    removeTimeLimit();
    stop('SIGUSR1', 'SIGUSR1: finishing running requests, sending no new ones');
  });
  const cancel = () => cancelling.abort();
  const removeTermination = stopOnTermination(context, ending.signal, stop, cancel);
  if (plan.stopAfter !== undefined) {
    const ended = AbortSignal.any([ending.signal, stopping.signal]);
    void after(clock, plan.stopAfter, ended, () =>
      stop('--stop-after', '--stop-after: finishing running requests, sending no new ones'),
    );
  }
  return {
    stop: AbortSignal.any([signal, stopping.signal, broken]),
    cancel: AbortSignal.any([signal, cancelling.signal]),
    cause: () => cause,
    failure: () => failure,
    halt: () => stopping.abort(),
    fail(found) {
      failure ??= found;
      stopping.abort();
    },
    end() {
      ending.abort();
      removeInterrupt();
      removeTimeLimit();
      removeTermination();
    },
  };
}
