import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  connectTimedOut,
  firstByteTimedOut,
  networkFailure,
  proxyRefused,
  type Stage,
} from '../../failure/network-failure.ts';
import { readBody } from './response-body.ts';
import type { ExchangeLimits } from '../network.ts';
import type { Route } from '../route.ts';
import { startTimer } from '../timer.ts';
import type { HttpRequest, HttpResponse } from '../transport.ts';
import type { ConnectedRequest, EarlyRequest } from './early-request.ts';
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
  early?: EarlyRequest,
): Promise<HttpResponse> {
  signal.throwIfAborted();
  const opened = await open();
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const connected = createOutgoing(request, opened, early);
    sendRequest(request, { connected, route, limits, signal, resolve, reject });
  });
}

interface PendingResponse {
  readonly connected: ConnectedRequest;
  readonly route: Route;
  readonly limits: ExchangeLimits;
  readonly signal: AbortSignal;
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: unknown) => void;
}

function sendRequest(request: HttpRequest, pending: PendingResponse): void {
  const { connected, route, limits, signal } = pending;
  const { outgoing } = connected;
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
  outgoing.on('error', (error) => {
    if (!responded) fail(networkFailure(error, stage, route));
  });
  onceRefusedByProxy(outgoing, (status) => fail(proxyRefused(status, route)));
  onceConnected(connected, route.secure, () => {
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
  early: EarlyRequest | undefined,
): ConnectedRequest {
  const length = body === undefined ? {} : { 'content-length': body.byteLength };
  const all = { ...headers, ...length };
  const connected = method === 'POST' ? early?.take() : undefined;
  if (connected === undefined) {
    return { outgoing: send(url, { method, agent, headers: all }), isConnected: false };
  }
  for (const [name, value] of Object.entries(all)) connected.outgoing.setHeader(name, value);
  return connected;
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
function onceConnected(
  { outgoing, isConnected }: ConnectedRequest,
  secure: boolean,
  callback: () => void,
): void {
  const onSocket = (socket: Socket): void => {
    if (isConnected || outgoing.reusedSocket) callback();
    else if (secure) socket.once('secureConnect', callback);
    else if (socket.connecting) socket.once('connect', callback);
    else callback();
  };
  // A request that was opened early may have its socket already.
  if (outgoing.socket === null) outgoing.once('socket', onSocket);
  else onSocket(outgoing.socket);
}

function receive(
  incoming: IncomingMessage,
  { route, limits, signal }: PendingResponse,
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
