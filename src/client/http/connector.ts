import { once } from 'node:events';
import { type IncomingMessage, request as openRequest } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { type Clock, startTimer } from '../../clock.ts';
import { connectTimedOut, networkFailure, proxyRefused } from '../failure/network-failure.ts';
import { hostAndPort, portOf } from './base-url.ts';
import { proxyHeaders, type Route } from './route.ts';
import { followSignals } from './timer.ts';

/** Milliseconds for each address of a host that has several; Node's own 250 is too little for slow networks. */
const addressTimeout = 1_000;

/**
 * Opens the connections of both transports.
 * @param connectTimeout milliseconds for the name lookup, the connection and TLS together; 0 and `Infinity`: no limit
 * @param tls options that replace those of the handshake with the service
 */
export function createConnector(
  route: Route,
  clock: Clock,
  connectTimeout: number,
  tls: ConnectionOptions = {},
) {
  const closing = new AbortController();
  return {
    /** Resolves when the service can be written to, after the TLS handshake for https. @throws Failure */
    open: async (): Promise<Socket> => {
      const { controller: attempt, unfollow } = followSignals(closing.signal);
      const { signal } = attempt;
      const stopTimer = startTimer(clock, connectTimeout, () =>
        attempt.abort(connectTimedOut(route, connectTimeout)),
      );
      try {
        const { server, secure, forwardProxy } = route;
        if (!secure || forwardProxy === undefined) {
          return await connectTo(server, route, signal, tls);
        }
        const socket = await connectTo(forwardProxy.url, route, signal);
        await requestTunnel(socket, route, forwardProxy.url);
        return await connectTo(server, route, signal, { ...tls, socket });
      } catch (error) {
        throw networkFailure(signal.aborted ? signal.reason : error, 'connecting', route);
      } finally {
        stopTimer();
        unfollow();
      }
    },
    /** Ends the connections that are being opened. */
    close: () => closing.abort(new Error('the client was closed')),
  };
}

/** Connects to the service or to a proxy. @throws Failure that names which of them failed */
async function connectTo(
  url: URL,
  route: Route,
  signal: AbortSignal,
  tls: ConnectionOptions = {},
): Promise<Socket> {
  const secure = url.protocol === 'https:';
  // The brackets of an IPv6 address are left out.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const address = {
    host,
    port: Number(portOf(url)),
    autoSelectFamilyAttemptTimeout: addressTimeout,
    signal,
  };
  // A TLS handshake names the host, but must not name an IP address.
  const servername = isIP(host) === 0 ? host : '';
  try {
    const socket = secure
      ? (await import('node:tls')).connect({
          ...address,
          servername,
          ALPNProtocols: ['http/1.1'],
          ...tls,
        })
      : connect(address);
    // Without a listener, an error between two uses of the socket would end the program.
    socket.on('error', () => {});
    await once(socket, secure ? 'secureConnect' : 'connect');
    return socket.setNoDelay(true).setKeepAlive(true);
  } catch (error) {
    const proxy = url === route.forwardProxy?.url ? route.proxy : undefined;
    throw networkFailure(error, 'connecting', { ...route, proxy, target: hostAndPort(url) });
  }
}

/** Asks a proxy for a tunnel to the service. @throws Failure if it refuses */
async function requestTunnel(socket: Socket, route: Route, proxy: URL): Promise<void> {
  const outgoing = openRequest({
    method: 'CONNECT',
    path: route.target,
    headers: { host: route.target, ...proxyHeaders(proxy) },
    createConnection: () => socket,
  });
  outgoing.end();
  const [{ statusCode = 0 }] = (await once(outgoing, 'connect')) as [IncomingMessage];
  if (statusCode === 200) return;
  socket.destroy();
  throw proxyRefused(statusCode, route);
}
