import type { ClientRequest } from 'node:http';
import type { NodeConnections, OpenedAgent } from './node-connections.ts';

/** A request that has been connected early, without headers. */
export interface ConnectedRequest {
  readonly outgoing: ClientRequest;
  /** Whether name lookup, connection and TLS handshake are done. */
  readonly isConnected: boolean;
}

/** A POST that connects before it is sent. */
export interface EarlyRequest {
  /** Undefined if it is not open yet, has failed, or was taken before. */
  take(): ConnectedRequest | undefined;
  /** Closes the connection, unless the request was taken. */
  discard(): void;
}

/** @param onEnd called when the request has failed or is closed */
function openEarly(
  url: URL,
  secure: boolean,
  { agent, request }: OpenedAgent,
  onEnd: () => void,
): ConnectedRequest {
  const outgoing = request(url, { method: 'POST', agent });
  const early = { outgoing, isConnected: false };
  outgoing.on('error', onEnd).once('close', onEnd);
  outgoing.once('socket', (socket) => {
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      early.isConnected = true;
    });
  });
  return early;
}

/**
 * Begins to connect for a POST to `url`, unless there is a proxy. Never fails: after a failure here, the request that
 * is sent connects again and reports its own failure.
 */
export function connectEarly(url: URL, { route, open }: NodeConnections): EarlyRequest {
  let isWanted = route.forwardProxy === undefined;
  let early: ConnectedRequest | undefined;
  const take = () => {
    const taken = early;
    isWanted = false;
    early = undefined;
    return taken;
  };
  const connect = async () => {
    try {
      const opened = await open();
      if (isWanted) early = openEarly(url, route.secure, opened, take);
    } catch {
      // The request that is sent gets the same error and reports it.
    }
  };
  if (isWanted) void connect();
  return { take, discard: () => void take()?.outgoing.destroy() };
}
