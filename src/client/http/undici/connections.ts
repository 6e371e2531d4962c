import { startTimer } from '../../../clock.ts';
import { connectTimedOut } from '../../failure/network-failure.ts';
import type { ExchangeLimits } from '../network.ts';
import type { Route } from '../route.ts';
import { SharedTimer } from '../shared-timer.ts';
import type { RequestHeaders } from '../transport.ts';
import { connectorOf, createOpenSocket, type OpenSocket } from './open-socket.ts';
import { proxyHeaders } from './proxy-headers.ts';
import { ResponseTurn } from './response-turn.ts';
import { Client } from './undici-client.ts';

/** A connection for one request at a time; opened for a request when it is not open. */
export interface Connection {
  readonly client: Client;
  /** For good: a request on it fails. */
  close(): void;
}

/** The connections of one client, kept open between requests. */
export interface Connections {
  readonly route: Route;
  readonly limits: ExchangeLimits;
  readonly turn: ResponseTurn;
  /** Of the requests that wait for their response. */
  readonly firstByteTimer: SharedTimer;
  /** The headers of a request, with those for a proxy. */
  withHeaders(headers: RequestHeaders): RequestHeaders;
  /** The target of a request line: a path, or for a proxy of plain http the whole URL. */
  target(url: URL): string;
  /** An idle connection, or a new one. */
  take(): Connection;
  /** Returns a connection after its request; not one that was closed. */
  release(connection: Connection): void;
  close(): void;
}

/** natter has its own time limits; servers close idle connections sooner. Milliseconds. */
const timeouts = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 600_000 } as const;

function createConnection(
  origin: string,
  openSocket: OpenSocket,
  route: Route,
  { clock, connectTimeout }: ExchangeLimits,
): Connection {
  let opening: AbortController | undefined;
  const client = new Client(origin, {
    ...timeouts,
    connect: connectorOf(route, async (target) => {
      const attempt = new AbortController();
      opening = attempt;
      const stop = startTimer(clock, connectTimeout, () =>
        attempt.abort(connectTimedOut(route, connectTimeout)),
      );
      try {
        return await openSocket(target, attempt.signal);
      } finally {
        stop();
      }
    }),
  });
  return {
    client,
    close() {
      void client.destroy();
      opening?.abort(new Error('the connection was closed'));
    },
  };
}

// Not undici's Pool and ProxyAgent: after a request is cancelled, their clients connect again for nothing, and a
// cancelled request cannot end a connection that is being opened.
export function openConnections(route: Route, limits: ExchangeLimits): Connections {
  const { origin, forwardProxy, secure } = route;
  const openSocket = createOpenSocket(route);
  const proxy = secure ? undefined : forwardProxy?.url;
  const added = proxy && { host: new URL(origin).host, ...proxyHeaders(proxy) };
  const all = new Set<Connection>();
  const idle: Connection[] = [];
  const targets = new WeakMap<URL, string>();
  return {
    route,
    limits,
    turn: new ResponseTurn(),
    firstByteTimer: new SharedTimer(limits.clock, limits.firstByteTimeout),
    withHeaders: (headers) => (added === undefined ? headers : { ...headers, ...added }),
    target(url) {
      const known = targets.get(url);
      if (known !== undefined) return known;
      const target = `${proxy === undefined ? '' : origin}${url.pathname}${url.search}`;
      targets.set(url, target);
      return target;
    },
    take() {
      const known = idle.pop();
      if (known !== undefined) return known;
      const connection = createConnection(proxy?.origin ?? origin, openSocket, route, limits);
      const close = (): void => {
        all.delete(taken);
        connection.close();
      };
      const taken = { ...connection, close };
      all.add(taken);
      return taken;
    },
    release(connection) {
      if (all.has(connection)) idle.push(connection);
    },
    close: () => closeAll(all),
  };
}

function closeAll(connections: Iterable<Connection>): void {
  for (const connection of connections) connection.close();
}
