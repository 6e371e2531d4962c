import { setMaxListeners } from 'node:events';
import { startTimer } from '../../clock.ts';
import type { Sender } from '../configuration.ts';
import { timedOut } from '../failure/answer-failure.ts';
import type { HttpResponse } from './transport.ts';

/** Ends a response without a touch for the idle time, counted from now. One timer serves for many touches. */
export function watchIdle({ clock, limits }: Sender, response: HttpResponse) {
  const { idleTimeout } = limits;
  /** When the silence began. */
  let since = clock.monotonic();
  let stopTimer: (() => void) | undefined;
  const wait = (milliseconds: number): void => {
    stopTimer = startTimer(clock, milliseconds, () => {
      const silence = clock.monotonic() - since;
      if (silence < idleTimeout) wait(idleTimeout - silence);
      else response.destroy(timedOut('idleTimeout', limits));
    });
  };
  wait(idleTimeout);
  return {
    /** Tells that data arrived. */
    touch: (): void => {
      since = clock.monotonic();
      if (stopTimer === undefined) wait(idleTimeout);
    },
    /** Stops until the next touch, as while the receiver is busy: then silence is not the sender's fault. */
    stop: (): void => {
      stopTimer?.();
      stopTimer = undefined;
    },
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
