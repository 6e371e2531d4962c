import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { Clock } from '../../clock.ts';
import { createConnector } from '../../client/http/connector.ts';
import type { Route } from '../../client/http/route.ts';

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
  route: Route,
  { clock, timeout, signal }: { clock: Clock; timeout: number; signal: AbortSignal },
): Promise<TlsInspection> {
  const limits = { clock, connectTimeout: timeout };
  const connector = createConnector(route, limits, { rejectUnauthorized: false });
  const abort = () => connector.close();
  signal.throwIfAborted();
  signal.addEventListener('abort', abort);
  try {
    const socket = (await connector.open()) as TLSSocket;
    const inspection = inspect(socket);
    socket.destroy();
    return inspection;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
