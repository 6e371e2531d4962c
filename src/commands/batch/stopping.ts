import type { Failure } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
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
  /** Starts no more items because of a failure; the first one counts. */
  readonly fail: (failure: Failure) => void;
  /** Removes the handlers. */
  readonly end: () => void;
}

export interface StoppingOptions {
  readonly context: Pick<Context, 'device' | 'clock' | 'signal'>;
  readonly notices: Notices;
  /** Milliseconds from now; undefined without a limit. */
  readonly stopAfter: number | undefined;
  /** Aborts when results cannot be saved any more. */
  readonly broken: AbortSignal;
  /** Called before a notice is written. */
  readonly clear: () => void;
}

/** Milliseconds from SIGTERM until running requests are cancelled: Kubernetes and Slurm kill a job after 30 seconds. */
const terminationTime = 25_000;

/** Milliseconds; `timeout` of the coreutils and process groups deliver one SIGTERM twice. */
const sameSignal = 1000;

type Stop = (cause: StopCause, notice: string) => void;

/** Calls `act` after `wait` milliseconds, unless `ended` aborts. */
async function after(
  { clock }: Pick<Context, 'clock'>,
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
  { context }: StoppingOptions,
  ended: AbortSignal,
  stop: Stop,
  cancel: () => void,
): () => void {
  let first: number | undefined;
  const remove = context.device.onTerminate(() => {
    const now = context.clock.monotonic();
    if (first !== undefined) {
      if (now - first < sameSignal) return;
      remove();
      cancel();
      return;
    }
    first = now;
    const limit = `${terminationTime / 1000} s`;
    stop('SIGTERM', `SIGTERM: finishing running requests within ${limit}, sending no new ones`);
    void after(context, terminationTime, ended, cancel);
  });
  return remove;
}

/**
 * The first Ctrl+C lets running requests finish, the second one ends natter. SIGUSR1 never ends natter, because
 * schedulers may send it several times.
 */
function stopOnSignals({ context: { device } }: StoppingOptions, stop: Stop): () => void {
  const removeInterrupt = device.onInterrupt(() => {
    removeInterrupt();
    stop('SIGINT', 'finishing running requests; press Ctrl+C again to cancel them');
  });
  const removeTimeLimit = device.onTimeLimit(() => {
    removeTimeLimit();
    stop('SIGUSR1', 'SIGUSR1: finishing running requests, sending no new ones');
  });
  return () => {
    removeInterrupt();
    removeTimeLimit();
  };
}

/** Watches for all that stops a run early. */
export function watchStopping(options: StoppingOptions): Stopping {
  const { context, notices, stopAfter, broken, clear } = options;
  const stopping = new AbortController();
  const cancelling = new AbortController();
  const ending = new AbortController();
  let cause: StopCause | undefined;
  let failure: Failure | undefined;
  const stop: Stop = (found, notice) => {
    if (cause !== 'SIGINT') cause = found;
    stopping.abort();
    clear();
    notices.notice(notice);
  };
  const removers = [
    stopOnSignals(options, stop),
    stopOnTermination(options, ending.signal, stop, () => cancelling.abort()),
  ];
  if (stopAfter !== undefined) {
    void after(context, stopAfter, AbortSignal.any([ending.signal, stopping.signal]), () =>
      stop('--stop-after', '--stop-after: finishing running requests, sending no new ones'),
    );
  }
  return {
    stop: AbortSignal.any([context.signal, stopping.signal, broken]),
    cancel: AbortSignal.any([context.signal, cancelling.signal]),
    cause: () => cause,
    failure: () => failure,
    fail(found) {
      failure ??= found;
      stopping.abort();
    },
    end() {
      ending.abort();
      for (const remove of removers) remove();
    },
  };
}
