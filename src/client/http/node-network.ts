import { Agent, request as openRequest } from 'node:http';
import { callbackify } from 'node:util';
import { createConnector } from './connector.ts';
import { type Begin, sendWith } from './exchange.ts';
import type { OpenNetwork } from './transport.ts';

/** Sends requests with `node:http`. The connector adds TLS to the connections of an https service. */
export const nodeNetwork: OpenNetwork = (route, limits) => {
  const connector = createConnector(route, limits);
  const open = callbackify(connector.open);
  const agent = new Agent({ keepAlive: true });
  agent.createConnection = (_options, callback) => {
    if (callback !== undefined) open(callback);
    return undefined;
  };
  const { hostname, port } = route.server;
  const begin: Begin = ({ method, url, headers, body }, exchange) => {
    const outgoing = openRequest({
      agent,
      hostname,
      port,
      method,
      path: route.path(url),
      headers: {
        ...route.headers,
        ...headers,
        ...(body !== undefined && { 'content-length': body.byteLength }),
      },
    });
    // The agent delivers a connected socket.
    outgoing.once('socket', () => exchange.sent());
    outgoing.once('response', (incoming) =>
      exchange.respond(incoming.statusCode ?? 0, incoming.headers, incoming),
    );
    // Never removed, because a socket may fail after its request.
    outgoing.on('error', (error) => exchange.fail(error));
    // After a 101, which was not asked for, Node reports nothing but the end.
    outgoing.once('close', () => setImmediate(() => exchange.fail(connectionEnded())));
    outgoing.end(body);
    return () => outgoing.destroy();
  };
  return {
    send: sendWith(begin, route, limits),
    close() {
      agent.destroy();
      connector.close();
    },
  };
};

/** The error of a connection that ended too early, with Node's code for it. */
const connectionEnded = (): NodeJS.ErrnoException =>
  Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
