import type { OpenNetwork } from '../network.ts';
import type { Transport } from '../transport.ts';
import type { Connections } from './connections.ts';
import type { sendOver } from './undici-exchange.ts';

interface Loaded {
  readonly connections: Connections;
  readonly send: typeof sendOver;
}

/** Sends requests with undici, which is loaded for the first one. */
export const undiciNetwork: OpenNetwork = (route, limits) => {
  let loading: Promise<Loaded> | undefined;
  let loaded: Loaded | undefined;
  let isClosed = false;

  async function load(): Promise<Loaded> {
    const { sendOver, openConnections } = await import('./undici-exchange.ts');
    const connections = openConnections(route, limits);
    loaded = { connections, send: sendOver };
    if (isClosed) connections.close();
    return loaded;
  }
  const sendFirst: Transport = async (request, signal) => {
    signal.throwIfAborted();
    const { connections, send } = await (loading ??= load());
    return send(request, connections, signal);
  };
  return {
    send(request, signal) {
      return loaded === undefined
        ? sendFirst(request, signal)
        : loaded.send(request, loaded.connections, signal);
    },
    close() {
      isClosed = true;
      loaded?.connections.close();
    },
  };
};
