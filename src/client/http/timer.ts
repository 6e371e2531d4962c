import { setMaxListeners } from 'node:events';
import { startTimer, type Clock } from '../../clock.ts';

/** Calls `onIdle` after `limit` milliseconds without a touch (0 and `Infinity`: never), counted from now. */
export function watchIdle(clock: Clock, limit: number, onIdle: () => void) {
  let stop = startTimer(clock, limit, onIdle);
  return {
    /** Tells that data arrived. */
    touch: (): void => {
      stop();
      stop = startTimer(clock, limit, onIdle);
    },
    /** Stops until the next touch, as while the receiver is busy: then silence is not the sender's fault. */
    stop: (): void => stop(),
  };
}

/**
 * Makes a controller whose signal also aborts with any of `sources`, until `unfollow`. Not with AbortSignal.any: on Node
 * 20, a signal that it makes and that has a listener stays in memory as long as its sources, and a batch may send
 * millions of requests with one signal.
 */
export function followSignals(...sources: readonly AbortSignal[]) {
  const controller = new AbortController();
  const follow = (): void => controller.abort(sources.find(({ aborted }) => aborted)?.reason);
  if (sources.some(({ aborted }) => aborted)) follow();
  for (const source of sources) {
    // Requests that run at the same time may share a signal.
    setMaxListeners(0, source);
    source.addEventListener('abort', follow);
  }
  return {
    controller,
    unfollow: (): void => {
      for (const source of sources) source.removeEventListener('abort', follow);
    },
  };
}
