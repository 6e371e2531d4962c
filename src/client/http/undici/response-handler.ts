import type { Dispatcher } from 'undici';
import { firstByteTimedOut, proxyRefused, type Stage } from '../../failure/network-failure.ts';
import { decodeBody } from '../body-decoding.ts';
import { lingerTime } from '../network.ts';
import { contentEncoding } from '../response-headers.ts';
import { startTimer } from '../timer.ts';
import type { HttpResponse, ResponseHeaders } from '../transport.ts';
import type { Connection, Connections } from './connections.ts';
import { type BodyControl, ReceivedBody } from './received-body.ts';
import { undiciFailure } from './undici-failure.ts';

/** A request on a connection, and the promise of its response. */
export interface PendingRequest {
  readonly connections: Connections;
  readonly connection: Connection;
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
    if (!Array.isArray(value) || name === 'set-cookie') continue;
    headers[name] = single.has(name) ? value[0] : value.join(', ');
  }
  return headers;
}

/** Receives what undici reports about one request. */
export class ResponseHandler implements Dispatcher.DispatchHandler, BodyControl {
  readonly #request: PendingRequest;
  #stage: Stage = 'connecting';
  #controller: Controller | undefined;
  #body: ReceivedBody | undefined;
  #isDestroyed = false;
  #stopTimer: (() => void) | undefined;
  readonly #abort = (): void => this.destroy(this.#request.signal.reason);

  constructor(request: PendingRequest) {
    this.#request = request;
    request.signal.addEventListener('abort', this.#abort);
  }

  onRequestStart(controller: Controller): void {
    const { limits, route } = this.#request.connections;
    this.#controller = controller;
    this.#stage = 'waiting';
    this.#startTimer(limits.firstByteTimeout, () =>
      firstByteTimedOut(route, limits.firstByteTimeout),
    );
  }

  onResponseStart(
    _: Controller,
    status: number,
    fields: Record<string, string | string[] | undefined>,
  ): void {
    // The answer follows a 103.
    if (status < 200) return;
    const { resolve, connections } = this.#request;
    const { route, turn } = connections;
    this.#stopTimer?.();
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
    const { connections, connection } = this.#request;
    this.#stopTimer?.();
    connections.release(connection);
    this.#body?.end();
  }

  onResponseError(_: Controller, error: Error): void {
    if (this.#isDestroyed) return;
    const { connections, connection } = this.#request;
    this.#stopTimer?.();
    connections.release(connection);
    const failure = undiciFailure(error, this.#stage, connections.route);
    if (this.#body === undefined) this.#fail(failure);
    else this.#body.cut(failure);
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
    this.#startTimer(lingerTime, () => new Error('the end of the body is missing'));
    this.resume();
  }

  /** Closes the connection; the sender, or the reader of the body, gets `reason`. */
  destroy(reason: unknown): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    if (this.#body === undefined) this.#fail(reason);
    else this.#body.discard(reason);
    this.#request.connection.close();
  }

  #fail(error: unknown): void {
    this.#end();
    this.#request.reject(error);
  }

  #startTimer(milliseconds: number, failure: () => Error): void {
    const { clock } = this.#request.connections.limits;
    this.#stopTimer = startTimer(clock, milliseconds, () => this.destroy(failure()));
  }

  #end(): void {
    this.#stopTimer?.();
    this.#request.signal.removeEventListener('abort', this.#abort);
  }
}
