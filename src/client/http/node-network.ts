import { Agent, type IncomingMessage, request as openRequest } from 'node:http';
import { callbackify } from 'node:util';
import { createConnector } from './connector.ts';
import { type Open, sendWith } from './exchange.ts';
import type { OpenNetwork } from './transport.ts';

/** Sends requests with `node:http`. The connector adds TLS to the connections of an https service. */
export const nodeNetwork: OpenNetwork = (route, limits, clock) => {
  const connector = createConnector(route, clock, limits.connectTimeout);
  const connect = callbackify(connector.open);
  const agent = new Agent({ keepAlive: true });
  agent.createConnection = (_options, callback) => {
    if (callback !== undefined) connect(callback);
    return undefined;
  };
  const { hostname, port } = route.server;
  const open: Open = ({ method, url, headers, body }, signal) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': body.byteLength };
      const outgoing = openRequest({
        agent,
        hostname,
        port,
        method,
        path: route.path(url),
        headers: { ...route.headers, ...headers, ...length },
      });
      let response: IncomingMessage | undefined;
      signal.addEventListener('abort', () => (response ?? outgoing).destroy());
      outgoing.once('response', (incoming) => {
        // The reader of the body comes later, and without a listener an error would end the program.
        response = incoming.on('error', () => {});
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming });
      });
      // Never removed, because a socket may fail after its request. The body ends with what Node reports of it here.
      outgoing.on('error', (error) => {
        reject(error);
        response?.destroy(error);
      });
      // After a 101, which was not asked for, Node reports nothing but the end.
      outgoing.once('close', () => reject(new Error('the connection was closed')));
      outgoing.end(body);
    });
  return {
    send: sendWith(open, route, limits, clock),
    close() {
      agent.destroy();
      connector.close();
    },
  };
};
