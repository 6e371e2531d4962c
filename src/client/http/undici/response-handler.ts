import { startTimer } from '../../../clock.ts';
import type { Dispatcher } from 'undici';
import { firstByteTimedOut, proxyRefused, type Stage } from '../../failure/network-failure.ts';
import { decodeBody } from '../body-decoding.ts';
import { lingerTime } from '../network.ts';
import { contentEncoding } from '../response-headers.ts';
import type { Waiting } from '../shared-timer.ts';
import type { HttpResponse, ResponseHeaders } from '../transport.ts';
import { type Abortable, stopWatching, watchAbort } from './abort-watch.ts';
import type { Connection, Connections } from './connections.ts';
import { type BodyControl, ReceivedBody } from './received-body.ts';
import { undiciFailure } from './undici-failure.ts';

/** Who waits for a response. */
export interface PendingRequest {
  readonly connections: Connections;
  /** Cancels the request, or ends the body that is being read. */
  readonly signal: AbortSignal;
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: unknown) => void;
}

type Controller = Dispatcher.DispatchController;

/** As in Node, the first of several counts for these headers; others are joined. */
const single: ReadonlySet<string> = new Set(['content-type', 'location', 'retry-after']);

function joinHeaders(headers: Record<string, string | string[] | undefined>): ResponseHeaders {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'string' || value === undefined || name === 'set-cookie') continue;
    headers[name] = single.has(name) ? value[0] : value.join(', ');
  }
  return headers;
}

/** Receives what undici reports about one request on a connection. */
export class ResponseHandler
  implements Dispatcher.DispatchHandler, BodyControl, Abortable, Waiting
{
  waitingSince = 0;
  readonly #request: PendingRequest;
  readonly #connection: Connection;
  #stage: Stage = 'connecting';
  #controller: Controller | undefined;
  #body: ReceivedBody | undefined;
  #isDestroyed = false;
  /** Of the end of the body. */
  #stopTimer: (() => void) | undefined;

  constructor(request: PendingRequest, connection: Connection) {
    this.#request = request;
    this.#connection = connection;
    watchAbort(request.signal, this);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    this.#stage = 'waiting';
    this.#request.connections.firstByteTimer.add(this);
  }

  onResponseStart(
    _: Controller,
    status: number,
    fields: Record<string, string | string[] | undefined>,
  ): void {
    // The answer follows a 103.
    if (status < 200) return;
    const { resolve, connections } = this.#request;
    const { route, turn, firstByteTimer } = connections;
    firstByteTimer.delete(this);
    if (status === 407 && route.proxy !== undefined) {
      this.destroy(proxyRefused(status, route));
      return;
    }
    this.#stage = 'answering';
    const headers = joinHeaders(fields);
    const received = new ReceivedBody(this);
    this.#body = received;
    const encoding = contentEncoding(headers);
    const body = encoding === undefined ? received : decodeBody(received, encoding);
    const destroy = (reason: Error): void => this.destroy(reason);
    turn.add(resolve, { status, headers, body, destroy });
  }

  onResponseData(_: Controller, bytes: Uint8Array): void {
    this.#body?.push(bytes);
  }

  onResponseEnd(): void {
    this.#release();
    this.#body?.end();
  }

  onResponseError(_: Controller, error: Error): void {
    if (this.#isDestroyed) return;
    this.#release();
    const failure = undiciFailure(error, this.#stage, this.#request.connections.route);
    if (this.#body === undefined) this.#fail(failure);
    else this.#body.cut(failure);
  }

  abort(): void {
    this.destroy(this.#request.signal.reason);
  }

  expire(): void {
    const { limits, route } = this.#request.connections;
    this.destroy(firstByteTimedOut(route, limits.firstByteTimeout));
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  finish(isWhole: boolean): void {
    this.#end();
    if (isWhole) return;
    const { clock } = this.#request.connections.limits;
    this.#stopTimer = startTimer(clock, lingerTime, () =>
      this.destroy(new Error('the end of the body is missing')),
    );
    this.resume();
  }

  /** Closes the connection; the sender, or the reader of the body, gets `reason`. */
  destroy(reason: unknown): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    if (this.#body === undefined) this.#fail(reason);
    else this.#body.discard(reason);
    this.#connection.close();
  }

  /** The connection is free for the next request. */
  #release(): void {
    this.#stopTimer?.();
    this.#request.connections.release(this.#connection);
  }

  #fail(error: unknown): void {
    this.#end();
    this.#request.reject(error);
  }

  #end(): void {
    const { connections, signal } = this.#request;
    if (this.#body === undefined) connections.firstByteTimer.delete(this);
    stopWatching(signal, this);
  }
}
