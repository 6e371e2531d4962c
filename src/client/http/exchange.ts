import type { Readable } from 'node:stream';
import { type Clock, startTimer } from '../../clock.ts';
import { firstByteTimedOut, networkFailure, proxyRefused } from '../failure/network-failure.ts';
import { readBody } from './response-body.ts';
import type { Route } from './route.ts';
import { followSignals } from './timer.ts';
import type { HttpRequest, ResponseHeaders, Transport } from './transport.ts';

/** Sends a request with a library for HTTP, which ends the request or the body of its response when `signal` aborts. */
export type Open = (
  request: HttpRequest,
  signal: AbortSignal,
) => Promise<{
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Readable;
}>;

/** Adds a time limit, aborts and natter's failures to a library for HTTP. Redirects are not followed. */
export function sendWith(
  open: Open,
  route: Route,
  clock: Clock,
  firstByteTimeout: number,
): Transport {
  return async (request, caller) => {
    caller.throwIfAborted();
    const { controller, unfollow } = followSignals(caller);
    const { signal } = controller;
    const stopTimer = startTimer(clock, firstByteTimeout, () =>
      controller.abort(firstByteTimedOut(route, firstByteTimeout)),
    );
    const aborted = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)),
    );
    try {
      // A request that has no connection yet does not end by itself.
      const { status, headers, body } = await Promise.race([open(request, signal), aborted]);
      // The reader of the body gets the error, but without a listener Node would exit.
      body.on('error', () => {});
      body.once('close', unfollow);
      if (status === 407 && route.proxy !== undefined) throw proxyRefused(status, route);
      const explain = (error: unknown) =>
        signal.aborted ? signal.reason : networkFailure(error, 'answering', route);
      return {
        status,
        headers,
        body: readBody(body, headers, explain, clock),
        destroy: (reason) => controller.abort(reason),
      };
    } catch (error) {
      unfollow();
      const reason = signal.aborted ? signal.reason : networkFailure(error, 'waiting', route);
      controller.abort(reason);
      throw reason;
    } finally {
      stopTimer();
    }
  };
}
