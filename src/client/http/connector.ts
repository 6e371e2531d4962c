import { once } from 'node:events';
import { request as openRequest } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { startTimer } from '../../clock.ts';
import { connectTimedOut, networkFailure, proxyRefused } from '../failure/network-failure.ts';
import { proxyHeaders, type Route } from './route.ts';
import type { ExchangeLimits } from './transport.ts';

/** Milliseconds for each address of a host that has several; Node's own 250 is too little for slow networks. */
const addressTimeout = 1_000;

/** Opens the connections of both transports. */
export interface Connector {
  /** Resolves when the service can be written to, after the TLS handshake for https. @throws RequestFailure */
  readonly open: () => Promise<Socket>;
  /** Ends the connections that are being opened. */
  close(): void;
}

/** @param tls options that replace those of the handshake with the service */
export function createConnector(
  route: Route,
  { clock, connectTimeout }: Pick<ExchangeLimits, 'clock' | 'connectTimeout'>,
  tls: ConnectionOptions = {},
): Connector {
  const attempts = new Set<AbortController>();
  return {
    async open() {
      const attempt = new AbortController();
      const { signal } = attempt;
      attempts.add(attempt);
      const stopTimer = startTimer(clock, connectTimeout, () =>
        attempt.abort(connectTimedOut(route, connectTimeout)),
      );
      try {
        return await openSocket(route, tls, signal);
      } catch (error) {
        throw networkFailure(signal.aborted ? signal.reason : error, 'connecting', route);
      } finally {
        stopTimer();
        attempts.delete(attempt);
      }
    },
    close() {
      for (const attempt of attempts) attempt.abort(new Error('the client was closed'));
    },
  };
}

async function openSocket(
  route: Route,
  tls: ConnectionOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const { server, secure, forwardProxy } = route;
  if (!secure || forwardProxy === undefined) return connectTo(server, tls, signal);
  const socket = await connectTo(forwardProxy.url, {}, signal);
  await requestTunnel(socket, route, forwardProxy.url);
  return encrypt(socket, server, tls, signal);
}

/** The host of a URL without the brackets of an IPv6 address. */
const hostOf = (url: URL) => url.hostname.replace(/^\[(.*)\]$/, '$1');

async function connectTo(url: URL, tls: ConnectionOptions, signal: AbortSignal): Promise<Socket> {
  const secure = url.protocol === 'https:';
  const socket = connect({
    host: hostOf(url),
    port: Number(url.port) || (secure ? 443 : 80),
    autoSelectFamilyAttemptTimeout: addressTimeout,
    keepAlive: true,
    noDelay: true,
    signal,
  });
  // Until there are others: a socket may fail between two of its users.
  socket.on('error', () => {});
  await once(socket, 'connect');
  return secure ? encrypt(socket, url, tls, signal) : socket;
}

async function encrypt(
  socket: Socket,
  url: URL,
  tls: ConnectionOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const { connect: connectTls } = await import('node:tls');
  const host = hostOf(url);
  // A handshake names a host, but no address.
  const servername = isIP(host) === 0 ? host : '';
  const encrypted = connectTls({ socket, host, servername, ALPNProtocols: ['http/1.1'], ...tls });
  encrypted.on('error', () => {});
  await once(encrypted, 'secureConnect', { signal });
  return encrypted;
}

/** Asks a proxy for a tunnel to the service. @throws RequestFailure if it refuses */
async function requestTunnel(socket: Socket, route: Route, proxy: URL): Promise<void> {
  const outgoing = openRequest({
    method: 'CONNECT',
    path: route.target,
    headers: { host: route.target, ...proxyHeaders(proxy) },
    createConnection: () => socket,
  });
  outgoing.end();
  const [response] = (await once(outgoing, 'connect')) as [{ readonly statusCode?: number }];
  const { statusCode = 0 } = response;
  if (statusCode === 200) return;
  socket.destroy();
  throw proxyRefused(statusCode, route);
}
