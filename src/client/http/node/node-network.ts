import type { OpenNetwork } from '../network.ts';
import { exchange } from './exchange.ts';
import { openNodeConnections } from './node-connections.ts';

/** Sends requests with `node:http`. */
export const nodeNetwork: OpenNetwork = (route, limits) => {
  const connections = openNodeConnections(route);
  return {
    send: (request, signal) => exchange(request, connections, limits, signal),
    close: () => connections.close(),
  };
};
