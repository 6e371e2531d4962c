import { Agent, type IncomingMessage, request as openRequest } from 'node:http';
import { callbackify } from 'node:util';
import { type Clock, startTimer } from '../../clock.ts';
import { firstByteTimedOut, networkFailure, proxyRefused } from '../failure/network-failure.ts';
import { createConnector } from './connector.ts';
import { readBody } from './response-body.ts';
import type { Route } from './route.ts';
import { followSignals } from './timer.ts';
import type { HttpRequest, Transport } from './transport.ts';

/** Milliseconds; 0 and `Infinity` switch a limit off. */
interface NetworkLimits {
  /** Name lookup, connection and TLS together. */
  readonly connectTimeout: number;
  /** From the request, before its connection, to the headers of the response. */
  readonly firstByteTimeout: number;
}

/**
 * Opens the connections of a client to one service with `node:http`; they stay open between requests. The connector
 * adds TLS to those of an https service. Redirects are not followed.
 */
export function openNetwork(route: Route, limits: NetworkLimits, clock: Clock) {
  const { connectTimeout, firstByteTimeout } = limits;
  const connector = createConnector(route, clock, connectTimeout);
  const connect = callbackify(connector.open);
  const agent = new Agent({ keepAlive: true });
  agent.createConnection = (_options, callback) => {
    if (callback !== undefined) connect(callback);
    return undefined;
  };

  const send: Transport = async (request, caller) => {
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
      const body = await Promise.race([sendRequest(request, route, agent, signal), aborted]);
      body.once('close', unfollow);
      const { statusCode: status = 0, headers } = body;
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
  return {
    send,
    /** Closes the connections, those that are being opened too. */
    close(): void {
      agent.destroy();
      connector.close();
    },
  };
}

/** Sends a request; its response ends, too, when `signal` aborts. */
function sendRequest(
  { method, url, headers, body }: HttpRequest,
  route: Route,
  agent: Agent,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { hostname, port } = route.server;
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': body.byteLength };
    const outgoing = openRequest({
      agent,
      hostname,
      port,
      method,
      path: route.path(url),
      headers: { ...route.headers, ...headers, ...length },
    });
    let response: IncomingMessage | undefined;
    signal.addEventListener('abort', () => (response ?? outgoing).destroy());
    outgoing.once('response', (incoming) => {
      // The reader of the body gets the error, but without a listener Node would exit.
      response = incoming.on('error', () => {});
      resolve(incoming);
    });
    // Never removed, because a socket may fail after its request. The body ends with what Node reports of it here.
    outgoing.on('error', (error) => {
      reject(error);
      response?.destroy(error);
    });
    // After a 101, which was not asked for, Node reports nothing but the end.
    outgoing.once('close', () => reject(new Error('the connection was closed')));
    outgoing.end(body);
  });
}
