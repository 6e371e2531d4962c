import type { Socket } from 'node:net';
import { callbackify } from 'node:util';
import type { buildConnector as Connectors } from 'undici';
import { proxyRefused } from '../../failure/network-failure.ts';
import { addressTimeout, type Route } from '../route.ts';
import { proxyHeaders } from './proxy-headers.ts';
import { buildConnector, Client } from './undici-client.ts';
import { undiciFailure } from './undici-failure.ts';

type SocketTarget = Connectors.Options;

/** Opens a socket to `target`, with TLS if its protocol is https. @throws the signal's reason when it aborts */
export type OpenSocket = (target: SocketTarget, signal: AbortSignal) => Promise<Socket>;

/** Milliseconds without data before the system probes a connection. */
const keepAliveDelay = 60_000;

/** The declared connector lacks the socket that it returns. */
type Connect = (target: SocketTarget, callback: Connectors.Callback) => Socket;

function connected(connect: Connect, target: SocketTarget, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = (): void => void socket.destroy(signal.reason);
    const socket = connect(target, (...[error, open]) => {
      signal.removeEventListener('abort', abort);
      if (error === null) resolve(open.setKeepAlive(true, keepAliveDelay));
      else reject(error);
    });
    signal.addEventListener('abort', abort);
  });
}

/** A connector for undici. It reports natter's failures, because after some errors undici connects again without end. */
export function connectorOf(
  route: Route,
  open: (target: SocketTarget) => Promise<Socket>,
): Connectors.connector {
  const connect = callbackify(async (target: SocketTarget) => {
    try {
      return await open(target);
    } catch (error) {
      throw undiciFailure(error, 'connecting', route);
    }
  });
  return (target, callback) =>
    connect(target, (error, socket) =>
      error === null ? callback(null, socket) : callback(error, null),
    );
}

interface Tunnel {
  readonly status: number;
  readonly socket: Socket;
}

/** Sends a CONNECT request; the socket is free of the client then. */
function requestTunnel(client: Client, { target }: Route, proxy: URL): Promise<Tunnel> {
  return new Promise((resolve, reject) => {
    const headers = { host: target, ...proxyHeaders(proxy) };
    const request = { method: 'CONNECT', path: target, headers } as const;
    client.dispatch(request, {
      onRequestStart: () => {},
      // The declared socket is any stream; that of a connection is a socket.
      onRequestUpgrade: (_, status, _headers, socket) =>
        resolve({ status, socket: socket as Socket }),
      onResponseError: (_, error) => reject(error),
    });
  });
}

/** A tunnel through a proxy to the service. @throws RequestFailure if the proxy refuses it */
async function openTunnel(
  direct: OpenSocket,
  route: Route,
  proxy: URL,
  signal: AbortSignal,
): Promise<Socket> {
  const client = new Client(proxy.origin, {
    headersTimeout: 0,
    connect: connectorOf(route, (target) => direct(target, signal)),
  });
  const abort = (): void => client.destroy(signal.reason, () => undefined);
  signal.addEventListener('abort', abort);
  try {
    const { status, socket } = await requestTunnel(client, route, proxy);
    if (status === 200) return socket;
    socket.on('error', () => {}).destroy();
    throw proxyRefused(status, route);
  } finally {
    signal.removeEventListener('abort', abort);
    abort();
  }
}

/** Opens the sockets of a route: to the service, to a proxy of plain http, or through a proxy by a tunnel. */
export function createOpenSocket(route: Route): OpenSocket {
  // undici would set keep-alive before the connection is open: there a system that refuses it fails to connect.
  const options = {
    timeout: 0,
    keepAlive: false,
    autoSelectFamilyAttemptTimeout: addressTimeout,
  };
  const connect = buildConnector(options) as Connect;
  const direct: OpenSocket = (target, signal) => connected(connect, target, signal);
  const { secure, forwardProxy } = route;
  if (!secure || forwardProxy === undefined) return direct;
  return async (target, signal) => {
    const httpSocket = await openTunnel(direct, route, forwardProxy.url, signal);
    return connected(connect, { ...target, httpSocket }, signal);
  };
}
