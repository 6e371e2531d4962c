import type { OpenNetwork } from '../network.ts';
import { connectEarly, type EarlyConnection } from './early-connection.ts';
import { exchangeEarly } from './early-exchange.ts';
import type { NodeConnections } from './node-connections.ts';

/** Sends requests with `node:http`, and the request of an early connection over its socket. */
export const nodeNetwork: OpenNetwork = (route, limits) => {
  let connections: NodeConnections | undefined;
  let early: EarlyConnection | undefined;
  return {
    async send(request, signal) {
      const connected = await early?.take(request);
      if (connected !== undefined) {
        return exchangeEarly(request, connected, { route, limits, signal });
      }
      // Most prompts need only their early connection.
      const { exchange } = await import('./exchange.ts');
      const { openNodeConnections } = await import('./node-connections.ts');
      connections ??= openNodeConnections(route);
      return exchange(request, connections, limits, signal);
    },
    connectEarly(url) {
      early = connectEarly(url, route);
    },
    close() {
      early?.close();
      connections?.close();
    },
  };
};
