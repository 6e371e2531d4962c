import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { parseRawRequest, type RawRequest } from './raw-request.ts';

/** Ends the connection, as `socket.end()`. */
export const fin: unique symbol = Symbol('fin');
/** Breaks the connection. */
export const reset: unique symbol = Symbol('reset');

/**
 * One act of a reply: bytes to send; `fin` or `reset`; a number pauses that many milliseconds; a function is
 * awaited. A reply that neither ends nor breaks the connection leaves it open.
 */
type Step = string | Uint8Array | typeof fin | typeof reset | number | (() => unknown);

export type Reply = readonly Step[];

export interface RawServerOptions {
  /** Speaks TLS, with a certificate signed by `certificates/authority.pem`. */
  readonly tls?: boolean;
  /** Another of `certificates/` for `tls`, such as `expired.pem`. */
  readonly certificate?: string;
  /** Performed on every connection before anything is received. */
  readonly greeting?: Reply;
}

/** A server that sends exactly the bytes it is told, also those no HTTP server would. */
export interface RawServer {
  readonly port: number;
  /** `http://127.0.0.1:port`, or https. */
  readonly url: string;
  /** Whole requests, in order of arrival. */
  readonly requests: readonly RawRequest[];
  /** Connections ever made. */
  connections(): number;
  /** Connections open now. */
  open(): number;
  /** Resolves when `count` connections were made. */
  connected(count: number): Promise<void>;
  /** Resolves when `count` requests were received. */
  received(count: number): Promise<void>;
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** The path of a file beside this one. */
export const certificatePath = (name: string): string =>
  fileURLToPath(new URL(`certificates/${name}`, import.meta.url));

/** Starts a server whose request number n gets reply number n; the last reply serves all further ones. */
export async function startRawServer(
  replies: readonly Reply[],
  { tls = false, certificate = 'server.pem', greeting = [] }: RawServerOptions = {},
): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  const watchers = new Set<() => void>();
  let connections = 0;
  const changed = (): void => watchers.forEach((watcher) => watcher());

  function accept(socket: Socket): void {
    connections += 1;
    const connection = connections;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => {
      sockets.delete(socket);
      changed();
    });
    // Clients of these tests break connections on purpose.
    socket.on('error', () => {});
    void perform(greeting, socket);
    changed();
    let received = Buffer.alloc(0);
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      for (;;) {
        const request = parseRawRequest(received, connection);
        if (request === undefined) return;
        received = received.subarray(request.length);
        requests.push(request);
        void perform(replies[Math.min(requests.length, replies.length) - 1] ?? [], socket);
        changed();
      }
    });
  }

  function when(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const watcher = (): void => {
        if (!condition()) return;
        watchers.delete(watcher);
        resolve();
      };
      watchers.add(watcher);
      watcher();
    });
  }

  const server = tls ? createTlsServer(identity(certificate), accept) : createServer(accept);
  const port = await listen(server);
  return {
    port,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    open: () => sockets.size,
    connected: (count) => when(() => connections >= count),
    received: (count) => when(() => requests.length >= count),
    idle: () => when(() => sockets.size === 0),
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function perform(reply: Reply, socket: Socket): Promise<void> {
  for (const step of reply) {
    if (socket.destroyed) return;
    if (step === fin) socket.end();
    else if (step === reset) socket.resetAndDestroy();
    else if (typeof step === 'number') await pause(step);
    else if (typeof step === 'function') await step();
    else await new Promise((resolve) => socket.write(step, resolve));
  }
}

function identity(certificate: string) {
  return {
    cert: readFileSync(certificatePath(certificate)),
    key: readFileSync(certificatePath('server-key.pem')),
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address: AddressInfo | string | null = server.address();
      if (address === null || typeof address === 'string') reject(new Error('no port'));
      else resolve(address.port);
    });
  });
}
