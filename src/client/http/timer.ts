import { setMaxListeners } from 'node:events';
import { startTimer } from '../../clock.ts';
import type { Sender } from '../configuration.ts';
import { timedOut } from '../failure/answer-failure.ts';
import type { HttpResponse } from './transport.ts';

/** Ends a response without a touch for the idle time, counted from now. */
export function watchIdle({ clock, limits }: Sender, response: HttpResponse) {
  const start = () =>
    startTimer(clock, limits.idleTimeout, () => response.destroy(timedOut('idleTimeout', limits)));
  let stop = start();
  return {
    /** Tells that data arrived. */
    touch: (): void => {
      stop();
      stop = start();
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
