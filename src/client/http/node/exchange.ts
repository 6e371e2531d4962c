import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  connectTimedOut,
  firstByteTimedOut,
  networkFailure,
  proxyRefused,
  type Stage,
} from '../../failure/network-failure.ts';
import { startTimer, type Clock } from '../../../clock.ts';
import { connectionEnded, decodedBody, receivedChunks } from './response-body.ts';
import { type ExchangeLimits, lingerTime } from '../network.ts';
import type { Route } from '../route.ts';
import type { HttpRequest, HttpResponse } from '../transport.ts';
import type { NodeConnections, OpenedAgent } from './node-connections.ts';

/**
 * Sends one request and resolves with the response's head. Redirects are not followed.
 * @throws RequestFailure; or the signal's reason when it aborts, now or while the body is read.
 */
export async function exchange(
  request: HttpRequest,
  { route, open }: NodeConnections,
  limits: ExchangeLimits,
  signal: AbortSignal,
): Promise<HttpResponse> {
  signal.throwIfAborted();
  const opened = await open();
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const outgoing = createOutgoing(request, opened);
    sendRequest(request, { outgoing, route, limits, signal, resolve, reject });
  });
}

interface PendingResponse {
  readonly outgoing: ClientRequest;
  readonly route: Route;
  readonly limits: ExchangeLimits;
  readonly signal: AbortSignal;
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: unknown) => void;
}

function sendRequest(request: HttpRequest, pending: PendingResponse): void {
  const { outgoing, route, limits, signal } = pending;
  let stage: Stage = 'connecting';
  let stopTimer = startTimer(limits.clock, limits.connectTimeout, () =>
    fail(connectTimedOut(route, limits.connectTimeout)),
  );
  const settle = (): void => {
    stopTimer();
    signal.removeEventListener('abort', abort);
  };
  const fail = (error: unknown): void => {
    settle();
    outgoing.destroy();
    pending.reject(error);
  };
  const abort = (): void => fail(signal.reason);
  signal.addEventListener('abort', abort);
  // Never removed, because a socket may fail after its request. After the response, errors reach the reader of its
  // body; destroying the request then would discard received text, or a whole answer followed by stray bytes.
  let responded = false;
  const failBefore = (error: unknown): void => {
    if (!responded) fail(networkFailure(error, stage, route));
  };
  outgoing.on('error', failBefore);
  onceClosed(outgoing, failBefore);
  onceRefusedByProxy(outgoing, (status) => fail(proxyRefused(status, route)));
  onceConnected(outgoing, route.secure, () => {
    stage = 'waiting';
    stopTimer();
    stopTimer = startTimer(limits.clock, limits.firstByteTimeout, () =>
      fail(firstByteTimedOut(route, limits.firstByteTimeout)),
    );
  });
  outgoing.once('response', (incoming) => {
    responded = true;
    settle();
    pending.resolve(receive(incoming, pending));
  });
  outgoing.end(request.body);
}

function createOutgoing(
  { method, url, headers, body }: HttpRequest,
  { agent, request: send }: OpenedAgent,
): ClientRequest {
  const length = body === undefined ? {} : { 'content-length': body.byteLength };
  return send(url, { method, agent, headers: { ...headers, ...length } });
}

/**
 * Calls back at the end of a request. After a 101, which was not asked for, Node reports nothing else; the error of a
 * TLS connection follows the end.
 */
export function onceClosed(outgoing: ClientRequest, callback: (error: unknown) => void): void {
  outgoing.once('close', () => void setImmediate(() => callback(connectionEnded())));
}

/** A proxy refuses a tunnel with any status but 200, and plain http with 407. */
export function onceRefusedByProxy(
  outgoing: ClientRequest,
  callback: (status: number) => void,
): void {
  outgoing.once('proxyConnect', ({ statusCode }: { statusCode?: number }) => {
    if (statusCode !== undefined && statusCode !== 200) callback(statusCode);
  });
  outgoing.once('response', ({ statusCode }) => {
    if (statusCode === 407) callback(statusCode);
  });
}

/** Calls back when the request can be sent: after the TLS handshake, or at once on a reused connection. */
function onceConnected(outgoing: ClientRequest, secure: boolean, callback: () => void): void {
  outgoing.once('socket', (socket: Socket) => {
    if (outgoing.reusedSocket) callback();
    else if (secure) socket.once('secureConnect', callback);
    else if (socket.connecting) socket.once('connect', callback);
    else callback();
  });
}

/** How a response is read. */
export type Reading = Pick<PendingResponse, 'route' | 'limits' | 'signal'>;

/** The response of a message of Node. */
export function receive(
  incoming: IncomingMessage,
  { route, limits, signal }: Reading,
): HttpResponse {
  let reason: unknown;
  const destroy = (error: unknown): void => {
    reason ??= error;
    incoming.destroy();
  };
  const abort = (): void => destroy(signal.reason);
  signal.addEventListener('abort', abort);
  incoming.once('close', () => signal.removeEventListener('abort', abort));
  // The reader of the body gets the error, but without a listener Node would exit.
  incoming.on('error', () => {});
  const explain = (error: unknown): unknown => reason ?? networkFailure(error, 'answering', route);
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    body: readBody(incoming, limits.clock, explain),
    destroy,
  };
}

/** The body of a message of Node, decoded; `explain` maps errors of the stream. */
function readBody(
  incoming: IncomingMessage,
  clock: Clock,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  const release = () => releaseMessage(incoming, clock);
  return decodedBody(receivedChunks(incoming), incoming.headers, explain, release);
}

function releaseMessage(incoming: IncomingMessage, clock: Clock): void {
  if (incoming.destroyed || incoming.readableEnded) return;
  const stop = startTimer(clock, lingerTime, () => incoming.destroy());
  incoming.once('close', stop);
  incoming.resume();
}
