import { setMaxListeners } from 'node:events';
import type { Failure } from '../../failure.ts';
import type { SendingRun } from './plan.ts';

/** What stopped a run: a signal, or a limit on its time. */
type StopCause = 'SIGINT' | 'SIGTERM' | 'SIGUSR1' | '--stop-after';

/** Milliseconds from SIGTERM until running requests are cancelled: Kubernetes and Slurm kill a job after 30 seconds. */
const terminationTime = 25_000;

/** Milliseconds; `timeout` of the coreutils and process groups deliver one SIGTERM twice. */
const sameSignal = 1000;

/**
 * Watches for all that stops a run early. The first Ctrl+C lets running requests finish, the second one ends natter. The
 * first SIGTERM limits the time of running requests, the second one cancels them, the third one ends natter. SIGUSR1
 * never ends natter, because schedulers may send it several times.
 * @param clear is called before a notice is written
 */
export function watchStopping(run: SendingRun, clear: () => void) {
  const { context, presentation, plan, broken } = run;
  const { device, clock, signal } = context;
  const stopping = new AbortController();
  const cancelling = new AbortController();
  const cancel = () => cancelling.abort();
  const removals: (() => void)[] = [];
  let cause: StopCause | undefined;
  let failure: Failure | undefined;
  const errors: unknown[] = [];
  const finishing = 'finishing running requests, sending no new ones';
  const stop = (found: StopCause, notice = `${found}: ${finishing}`) => {
    if (cause !== 'SIGINT') cause = found;
    stopping.abort();
    clear();
    presentation.notices.notice(notice);
  };
  const removeInterrupt = device.on('SIGINT', () => {
    removeInterrupt();
    stop('SIGINT', 'finishing running requests; press Ctrl+C again to cancel them');
  });
  const removeTimeLimit = device.on('SIGUSR1', () => {
    removeTimeLimit();
    stop('SIGUSR1');
  });
  let terminatedAt: number | undefined;
  const removeTermination = device.on('SIGTERM', () => {
    const now = clock.monotonic();
    if (terminatedAt === undefined) {
      terminatedAt = now;
      const limit = `${terminationTime / 1000} s`;
      stop('SIGTERM', `SIGTERM: finishing running requests within ${limit}, sending no new ones`);
      removals.push(clock.timer(terminationTime, cancel));
    } else if (now - terminatedAt >= sameSignal) {
      removeTermination();
      cancel();
    }
  });
  removals.push(removeInterrupt, removeTimeLimit, removeTermination);
  if (plan.stopAfter !== undefined) {
    const stopTimer = clock.timer(plan.stopAfter, () => stop('--stop-after'));
    stopping.signal.addEventListener('abort', stopTimer, { once: true });
    removals.push(stopTimer);
  }
  /** Aborts when no more items may start. */
  const noMore = AbortSignal.any([signal, stopping.signal, broken]);
  /** Aborts when running requests are cancelled. */
  const cancelled = AbortSignal.any([signal, cancelling.signal]);
  // Each running item has a listener.
  setMaxListeners(0, noMore, cancelled);
  return {
    stop: noMore,
    cancel: cancelled,
    cause: () => cause,
    /** A failure that would repeat for the other items. */
    failure: () => failure,
    /** Starts no more items because of an error that is not the failure of an item; {@link rethrow} throws the first one. */
    crash(this: void, error: unknown) {
      errors.push(error);
      stopping.abort();
    },
    rethrow() {
      if (errors.length > 0) throw errors[0];
    },
    /** Starts no more items because of a failure; the first one counts. */
    fail(this: void, found: Failure) {
      failure ??= found;
      stopping.abort();
    },
    end: () => removals.forEach((remove) => remove()),
  };
}

export type Stopping = ReturnType<typeof watchStopping>;
