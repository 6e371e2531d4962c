import type { Socket } from 'node:net';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { startTimer, type Clock } from '../../../clock.ts';
import { connectTimedOut, networkFailure, proxyRefused } from '../../failure/network-failure.ts';
import type { Route } from '../route.ts';
import { onceRefusedByProxy } from './exchange.ts';
import { openNodeConnections } from './node-connections.ts';

/** One certificate of the chain; names are common names or organisations. */
interface Certificate {
  readonly subject: string;
  readonly issuer: string;
  readonly validTo: Date;
}

export interface TlsInspection {
  /** `TLSv1.3`. */
  readonly protocol: string;
  /** The chain as the service sent it, its own certificate first. */
  readonly chain: readonly Certificate[];
  /** Node's code, such as `CERT_HAS_EXPIRED`; undefined for a trusted certificate. */
  readonly problem: string | undefined;
}

/** A service may send more, or a chain that does not end. */
const maxChain = 10;

type Name = PeerCertificate['subject'];

function nameOf(name: Partial<Name> | undefined): string {
  // Node has a list where a name has several values.
  const values: unknown = name?.CN ?? name?.O ?? '';
  return Array.isArray(values) ? values.join(', ') : String(values);
}

function chainOf(socket: TLSSocket): readonly Certificate[] {
  const chain: Certificate[] = [];
  const seen = new Set<string>();
  let next: Partial<ReturnType<TLSSocket['getPeerCertificate']>> | undefined =
    socket.getPeerCertificate(true);
  while (next?.fingerprint256 !== undefined && chain.length < maxChain) {
    if (seen.has(next.fingerprint256)) break;
    seen.add(next.fingerprint256);
    chain.push({
      subject: nameOf(next.subject),
      issuer: nameOf(next.issuer),
      validTo: new Date(next.valid_to ?? ''),
    });
    next = 'issuerCertificate' in next ? next.issuerCertificate : undefined;
  }
  return chain;
}

function inspect(socket: TLSSocket): TlsInspection {
  const { authorized } = socket;
  // Node's type is Error, its value the code.
  const problem: unknown = socket.authorizationError;
  return {
    protocol: socket.getProtocol() ?? 'TLS',
    chain: chainOf(socket),
    problem: authorized ? undefined : String(problem),
  };
}

/**
 * Opens a TLS connection as a request does, through the proxy of the route, and closes it without sending a request. An
 * untrusted certificate is not a failure.
 * @param timeout milliseconds
 * @throws RequestFailure without a connection; or the signal's reason when it aborts
 */
export async function inspectCertificate(
  url: URL,
  route: Route,
  { clock, timeout, signal }: { clock: Clock; timeout: number; signal: AbortSignal },
): Promise<TlsInspection> {
  const connections = openNodeConnections(route);
  signal.throwIfAborted();
  try {
    const { agent, request } = await connections.open();
    return await new Promise((resolve, reject) => {
      const options = { method: 'HEAD', agent, rejectUnauthorized: false };
      const outgoing = request(url, options);
      const stop = startTimer(clock, timeout, () =>
        end(() => reject(connectTimedOut(route, timeout))),
      );
      const abort = () => end(() => reject(signal.reason as Error));
      const end = (settle: () => void) => {
        stop();
        signal.removeEventListener('abort', abort);
        settle();
        outgoing.destroy();
      };
      signal.addEventListener('abort', abort);
      outgoing.on('error', (error) =>
        end(() => reject(networkFailure(error, 'connecting', route))),
      );
      onceRefusedByProxy(outgoing, (status) => end(() => reject(proxyRefused(status, route))));
      outgoing.once('socket', (socket: Socket) => {
        socket.once('secureConnect', () => end(() => resolve(inspect(socket as TLSSocket))));
      });
    });
  } finally {
    connections.close();
  }
}
