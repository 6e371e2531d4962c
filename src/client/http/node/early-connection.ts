import type { connect as connectSocket, Socket } from 'node:net';
import { addressTimeout, type Route } from '../route.ts';
import type { HttpRequest } from '../transport.ts';

/** A connection that has been opened early. */
export interface ConnectedSocket {
  readonly socket: Socket;
  /** Whether name lookup, connection and TLS handshake are done. */
  readonly isConnected: boolean;
}

/** A connection for one POST, opened before the request is ready. */
export interface EarlyConnection {
  /** Undefined if the request needs `node:http`, or the connection has failed, is closed, or was taken before. */
  take(request: HttpRequest): Promise<ConnectedSocket | undefined>;
  /** Closes the connection, also while it is used. */
  close(): void;
}

/** Headers of a user that change how a message is framed or sent. */
const framing = new Set(
  'connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

const isPlain = ({ body, headers }: HttpRequest) =>
  body !== undefined && !Object.keys(headers).some((name) => framing.has(name));

/** With the options of Node's agents for kept connections. */
function openSocket(connect: typeof connectSocket, host: string, url: URL): Socket {
  const socket = connect({
    host,
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    autoSelectFamilyAttemptTimeout: addressTimeout,
    keepAlive: true,
    keepAliveInitialDelay: 1000,
    noDelay: true,
  });
  // Until there are others.
  return socket.on('error', () => {});
}

/** Resolves when the network is asked to connect, which is after the name lookup, or when that has failed. */
function attempted(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('connectionAttempt', () => resolve()).once('close', () => resolve());
  });
}

/** Over a socket that is connecting, because Node 20 takes 25 ms to create the first TLS context. */
async function encrypt(
  socket: Socket,
  host: string,
  isAddress: boolean,
): Promise<Socket | undefined> {
  await attempted(socket);
  const { connect } = await import('node:tls');
  if (socket.destroyed) return undefined;
  // A handshake names a host, but no address.
  const servername = isAddress ? '' : host;
  const encrypted = connect({ socket, host, servername, ALPNProtocols: ['http/1.1'] });
  // A request that waits for the connection would get only an error about its end.
  socket.once('error', (error) => encrypted.destroy(error));
  return encrypted;
}

/** @param isWanted asked after the modules have been loaded */
async function open(url: URL, isWanted: () => boolean): Promise<Socket | undefined> {
  const { connect, isIP } = await import('node:net');
  if (!isWanted()) return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = openSocket(connect, host, url);
  return url.protocol === 'https:' ? encrypt(socket, host, isIP(host) !== 0) : socket;
}

/** Notes when a socket has connected. */
function watch(socket: Socket, secure: boolean, onEnd: () => void): ConnectedSocket {
  const watched = { socket, isConnected: false };
  socket.on('error', onEnd).once('end', onEnd).once('close', onEnd);
  socket.once(secure ? 'secureConnect' : 'connect', () => {
    watched.isConnected = true;
  });
  return watched;
}

/**
 * Begins to connect for a POST to `url`, unless there is a proxy. Never fails: after a failure here, the request that
 * is sent connects again and reports its own failure.
 */
export function connectEarly(url: URL, { secure, forwardProxy }: Route): EarlyConnection {
  let isWanted = forwardProxy === undefined;
  let socket: Socket | undefined;
  let early: ConnectedSocket | undefined;
  const forget = () => {
    const known = early;
    early = undefined;
    return known;
  };
  const close = () => {
    isWanted = false;
    forget();
    socket?.destroy();
  };
  const connect = async () => {
    socket = await open(url, () => isWanted);
    if (socket === undefined) return;
    early = watch(socket, secure, forget);
    if (!isWanted) close();
  };
  // The request that is sent gets the same error and reports it.
  const opening = isWanted ? connect().catch(() => {}) : undefined;
  return {
    async take(request) {
      if (request.method !== 'POST') return undefined;
      await opening;
      // Bytes that precede the request are no response to it.
      if (isPlain(request) && early?.socket.readableLength === 0) return forget();
      if (early !== undefined) close();
      return undefined;
    },
    close,
  };
}
