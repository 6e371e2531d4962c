import type { Readable } from 'node:stream';
import { setMaxListeners } from 'node:events';
import { type Clock, startTimer } from '../../clock.ts';
import { firstByteTimedOut, networkFailure, proxyRefused } from '../failure/network-failure.ts';
import { readBody } from './response-body.ts';
import type { Route } from './route.ts';
import type {
  ExchangeLimits,
  HttpResponse,
  ResponseHeaders,
  HttpRequest,
  Transport,
} from './transport.ts';

/** What a library for HTTP reports about one request. */
export interface Exchange {
  /** The request has a connection. */
  sent(): void;
  respond(status: number, headers: ResponseHeaders, body: Readable): void;
  /** There is no response; without effect after one. */
  fail(error: unknown): void;
}

/** Begins a request, and returns the function that cancels it. */
export type Begin = (request: HttpRequest, exchange: Exchange) => (reason: unknown) => void;

/** A transport over a library for HTTP, with natter's time limits, aborts and failures. Redirects are not followed. */
export function sendWith(begin: Begin, route: Route, limits: ExchangeLimits): Transport {
  const { clock, firstByteTimeout } = limits;
  return (request, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      // Requests that run at the same time may share a signal.
      setMaxListeners(0, signal);
      let isSettled = false;
      let stopTimer = (): void => {};
      let cancel = (_reason: unknown): void => {};
      const settle = (): void => {
        isSettled = true;
        stopTimer();
        signal.removeEventListener('abort', abort);
      };
      const end = (reason: unknown): void => {
        if (isSettled) return;
        settle();
        cancel(reason);
        reject(reason);
      };
      const abort = (): void => end(signal.reason);
      signal.addEventListener('abort', abort);
      cancel = begin(request, {
        sent() {
          if (isSettled) return;
          const expire = () => end(firstByteTimedOut(route, firstByteTimeout));
          stopTimer = startTimer(clock, firstByteTimeout, expire);
        },
        respond(status, headers, body) {
          // The reader of the body gets the error, but without a listener Node would exit.
          body.on('error', () => {});
          if (status === 407 && route.proxy !== undefined) return end(proxyRefused(status, route));
          settle();
          resolve({ status, headers, ...receive(body, headers, { route, clock, signal }) });
        },
        fail(error) {
          if (!isSettled) end(networkFailure(error, 'waiting', route));
        },
      });
    });
}

interface Receiving {
  readonly route: Route;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

function receive(
  body: Readable,
  headers: ResponseHeaders,
  { route, clock, signal }: Receiving,
): Pick<HttpResponse, 'body' | 'destroy'> {
  let reason: unknown;
  const destroy = (error: unknown): void => {
    reason ??= error;
    body.destroy();
  };
  const abort = (): void => destroy(signal.reason);
  signal.addEventListener('abort', abort);
  body.once('close', () => signal.removeEventListener('abort', abort));
  const explain = (error: unknown) => reason ?? networkFailure(error, 'answering', route);
  return { body: readBody(body, headers, explain, clock), destroy };
}
