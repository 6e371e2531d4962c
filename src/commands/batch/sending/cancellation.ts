import type { Clock } from '../../../clock.ts';

export interface CancellationOptions {
  /** Cancels pending retries; running requests finish. */
  readonly stop: AbortSignal;
  /** Cancels running requests. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Cancels a request on `signal`, and on `stop` while it waits for a retry. */
function createCancellation({ signal, stop, clock }: CancellationOptions) {
  const controller = new AbortController();
  let retryAt = 0;
  signal.addEventListener('abort', () => controller.abort(signal.reason));
  if (signal.aborted) controller.abort(signal.reason);
  const cancelRetry = () => {
    if (stop.aborted && clock.monotonic() < retryAt) controller.abort(stop.reason);
  };
  return {
    signal: controller.signal,
    /** The run stops. */
    cancel: () => controller.abort(stop.reason),
    /** @param delay milliseconds until the retry */
    retryScheduled(delay: number): void {
      retryAt = clock.monotonic() + delay;
      stop.addEventListener('abort', cancelRetry);
      cancelRetry();
    },
    /** The request ended. */
    release(): void {
      stop.removeEventListener('abort', cancelRetry);
    },
  };
}

type Cancellation = ReturnType<typeof createCancellation>;

/** Those of a run, used again: Node is slow to create an AbortController and to add its listeners. */
const idleCancellations = new WeakMap<CancellationOptions, Cancellation[]>();

/** To be released after the request. */
export function takeCancellation(options: CancellationOptions): Cancellation {
  const idle = idleCancellations.get(options)?.pop();
  return idle === undefined || idle.signal.aborted ? createCancellation(options) : idle;
}

export function releaseCancellation(
  options: CancellationOptions,
  cancellation: Cancellation,
): void {
  cancellation.release();
  if (cancellation.signal.aborted) return;
  const idle = idleCancellations.get(options) ?? [];
  idleCancellations.set(options, idle);
  idle.push(cancellation);
}
