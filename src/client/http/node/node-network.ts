import type { OpenNetwork } from '../network.ts';
import { connectEarly, type EarlyRequest } from './early-request.ts';
import { exchange } from './exchange.ts';
import { openNodeConnections } from './node-connections.ts';

/** Sends requests with `node:http`. */
export const nodeNetwork: OpenNetwork = (route, limits) => {
  const connections = openNodeConnections(route);
  let early: EarlyRequest | undefined;
  return {
    send: (request, signal) => exchange(request, connections, limits, signal, early),
    connectEarly(url) {
      early = connectEarly(url, connections);
    },
    close() {
      early?.discard();
      connections.close();
    },
  };
};
