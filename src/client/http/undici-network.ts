import { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { Agent, type Dispatcher, errors } from 'undici';
import { RequestFailure } from '../failure/request-failure.ts';
import { createConnector } from './connector.ts';
import { type Begin, type Exchange, sendWith } from './exchange.ts';
import type { OpenNetwork, ResponseHeaders } from './transport.ts';

/** Sends requests with undici. */
export const undiciNetwork: OpenNetwork = (route, limits) => {
  const connector = createConnector(route, limits);
  const open = callbackify(connector.open);
  const agent = new Agent({
    connect: (_target, callback) =>
      open((error, socket) => (error === null ? callback(null, socket) : callback(error, null))),
    // natter has its own time limits.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const begin: Begin = ({ method, url, headers, body = null }, exchange) => {
    const handler = new ExchangeHandler(exchange);
    const request = {
      origin: route.server.origin,
      path: route.path(url),
      method,
      headers: { ...route.headers, ...headers },
      body,
    };
    agent.dispatch(request, handler);
    return (reason) => handler.cancel(reason);
  };
  return {
    send: sendWith(begin, route, limits),
    close() {
      void agent.destroy();
      connector.close();
    },
  };
};

type Controller = Dispatcher.DispatchController;
type Headers = Record<string, string | string[] | undefined>;

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;
  #controller: Controller | undefined;
  #body: Readable | undefined;
  #cancelled: Error | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** undici learns of it when the request has a connection. */
  cancel(reason: unknown): void {
    this.#cancelled = reason instanceof Error ? reason : new Error(String(reason));
    this.#controller?.abort(this.#cancelled);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#cancelled === undefined) this.#exchange.sent();
    else controller.abort(this.#cancelled);
  }

  onResponseStart(controller: Controller, status: number, headers: Headers): void {
    // The answer follows a 103.
    if (status < 200) return;
    this.#body = new Readable({
      read: () => controller.resume(),
      destroy(error, callback) {
        controller.abort(error ?? new Error('the rest of the answer is not needed'));
        callback(error);
      },
    });
    this.#exchange.respond(status, joinHeaders(headers), this.#body);
  }

  onResponseData(controller: Controller, bytes: Buffer): void {
    if (this.#body?.push(bytes) === false) controller.pause();
  }

  onResponseEnd(): void {
    this.#body?.push(null);
  }

  onResponseError(_: Controller, error: Error): void {
    if (this.#body === undefined) this.#exchange.fail(nodeError(error, 'HPE_INVALID_RESPONSE'));
    // As with node:http, a body that cannot be parsed is one that was cut.
    else this.#body.destroy(nodeError(error, 'ECONNRESET'));
  }
}

/** As in Node, the first of several counts for these headers; others are joined. */
const single: ReadonlySet<string> = new Set(['content-type', 'location', 'retry-after']);

function joinHeaders(headers: Headers): ResponseHeaders {
  const joined: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    const isJoined = Array.isArray(value) && name !== 'set-cookie';
    joined[name] = isJoined ? (single.has(name) ? value[0] : value.join(', ')) : value;
  }
  return joined;
}

const unsendable = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED']);

/** An error of undici with the code that Node has for it; undici's parser reports none. */
function nodeError(error: NodeJS.ErrnoException, parserCode: string): Error {
  const { message, code = '' } = error;
  if (unsendable.has(code)) {
    return new RequestFailure('configuration', `the request cannot be sent: ${message}`, {
      transient: false,
      cause: error,
    });
  }
  if (error instanceof errors.HTTPParserError) return withCode(message, parserCode);
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return withCode(message, 'HPE_HEADER_OVERFLOW');
  return code.startsWith('UND_ERR_') ? withCode(message, 'ECONNRESET') : error;
}

// Not with undici's error as the cause, because those of its parser contain the response.
const withCode = (message: string, code: string) => Object.assign(new Error(message), { code });
