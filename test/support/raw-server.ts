import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';

/** A request as received. */
type RawRequest = NonNullable<ReturnType<typeof parseRawRequest>>;

/** Closes the connection, like `socket.end()`. */
export const fin: unique symbol = Symbol('fin');
/** Resets the connection. */
export const reset: unique symbol = Symbol('reset');

/**
 * One step of a reply: bytes to send; `fin` or `reset`; a pause in milliseconds; a function that is awaited. Without
 * `fin` or `reset` the connection stays open.
 */
type Step = string | Uint8Array | typeof fin | typeof reset | number | (() => unknown);

export type Reply = readonly Step[];

export interface RawServerOptions {
  /** Speaks TLS, with a certificate signed by `certificates/authority.pem`. */
  readonly tls?: boolean;
  /** A file of `certificates/`, such as `expired.pem`. */
  readonly certificate?: string;
}

/** The path of a file beside this one. */
export const certificatePath = (name: string): string =>
  fileURLToPath(new URL(`certificates/${name}`, import.meta.url));

/** The fields of a body that tests read. */
export interface RequestBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

export type RawServer = Awaited<ReturnType<typeof startRawServer>>;

/** Starts a server that sends exactly the given bytes: it answers request n with reply n, and all further ones with the last reply. */
export async function startRawServer(
  replies: readonly Reply[],
  { tls = false, certificate = 'server.pem' }: RawServerOptions = {},
) {
  /** Complete requests, in order of arrival. */
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  const changes = new EventEmitter().setMaxListeners(0);
  let connections = 0;
  const changed = () => changes.emit('changed');

  function accept(socket: Socket): void {
    connections += 1;
    const connection = connections;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => {
      sockets.delete(socket);
      changed();
    });
    // Clients of these tests reset connections on purpose.
    socket.on('error', () => {});
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

  async function when(condition: () => boolean): Promise<void> {
    while (!condition()) await once(changes, 'changed');
  }

  const read = (name: string) => readFileSync(certificatePath(name));
  const server = tls
    ? createTlsServer({ cert: read(certificate), key: read('server-key.pem') }, accept)
    : createServer(accept);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    /** The bodies of the requests that have one, which are JSON. */
    bodies: () =>
      requests.flatMap(({ body }) => (body === '' ? [] : [JSON.parse(body) as RequestBody])),
    connections: () => connections,
    /** Open connections. */
    open: () => sockets.size,
    /** Resolves when `count` connections were made. */
    connected: (count: number) => when(() => connections >= count),
    /** Resolves when `count` requests were received. */
    received: (count: number) => when(() => requests.length >= count),
    /** Resolves when no connection is open. */
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

/** The first complete request in `bytes`, if any; supports `content-length` only. */
function parseRawRequest(bytes: Buffer, connection: number) {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [requestLine = '', ...headerLines] = bytes
    .subarray(0, headEnd)
    .toString('latin1')
    .split('\r\n');
  /** Names in lower case. */
  const headers: Readonly<Record<string, string>> = Object.fromEntries(
    headerLines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const bodyStart = headEnd + 4;
  const length = bodyStart + Number(headers['content-length'] ?? 0);
  if (bytes.length < length) return undefined;
  const [method = '', path = ''] = requestLine.split(' ');
  return {
    /** Request line, headers and body. */
    text: bytes.subarray(0, length).toString(),
    method,
    path,
    headers,
    body: bytes.subarray(bodyStart, length).toString(),
    /** The number of its connection, from 1. */
    connection,
    /** In bytes. */
    length,
  };
}
