import { maxHeaderSize } from 'node:http';
import { isLoopbackName } from '../../address.ts';
import { Failure, type FailureKind, type Remedy } from '../../failure.ts';
import { isJsonObject } from '../../json.ts';
import type { Route } from '../http/route.ts';
import { formatLimit } from './answer-failure.ts';

const certificateCodes =
  /^(CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_CERT_ALTNAME)/;
const handshakeCodes = /^(ERR_SSL_|ERR_TLS_|EPROTO)/;

/** What a connection is to: the service, or a proxy. */
const placeOf = ({ proxy, target }: Route) => (proxy === undefined ? target : `the proxy ${proxy}`);

/**
 * Describes an error of the network; returns a failure of natter unchanged.
 * @param stage how far the request had got
 */
export function networkFailure(
  error: unknown,
  stage: 'connecting' | 'waiting' | 'answering',
  route: Route,
): Failure {
  if (error instanceof Failure) return error;
  const code = codeOf(error);
  if (certificateCodes.test(code)) return certificateFailure(error, code, route);
  const { forwardProxy, proxy, secure, target } = route;
  // Once a tunnel is open, the service responds through it.
  const isProxy = proxy !== undefined && (stage === 'connecting' || !secure);
  const place = isProxy ? placeOf(route) : target;
  const checkProxy: Remedy | undefined = forwardProxy && {
    code: 'check-proxy',
    variable: forwardProxy.variable,
  };
  const fail = (kind: FailureKind, message: string, remedy?: Remedy, transient?: boolean) =>
    new Failure(kind, message, { cause: error, remedy, transient });
  if (/^(?:HPE_HEADER|UND_ERR_HEADERS)_OVERFLOW$/.test(code)) {
    const message = `the response headers of ${place} exceed the limit of ${maxHeaderSize} bytes`;
    return fail('server_error', message, { code: 'raise-header-limit' });
  }
  const remedyOf = (other: Remedy) => (isProxy && checkProxy !== undefined ? checkProxy : other);
  if (handshakeCodes.test(code)) {
    const message = `cannot open a TLS connection to ${place} (${code})`;
    return fail('unreachable', message, remedyOf({ code: 'check-scheme', scheme: 'http' }));
  }
  if (code.startsWith('HPE_')) {
    if (stage === 'answering') {
      const message = `the response of ${place} is malformed (${code})`;
      return fail('server_error', message, { code: 'report-to-operator' });
    }
    const message = `the response of ${place} is not HTTP (${code})`;
    return fail('server_error', message, remedyOf({ code: 'check-base-url' }));
  }
  if (stage === 'connecting') {
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(target) ?? [];
    const isServerHere = code === 'ECONNREFUSED' && isLoopbackName(host);
    const remedy: Remedy = isServerHere
      ? { code: 'start-server', port }
      : { code: 'check-connection' };
    const unknown = code === '' ? 'the connection failed' : code;
    const [problem, isTransient] = connectProblems[code] ?? [unknown, true];
    const message = `cannot reach ${place}: ${problem}`;
    return fail('unreachable', message, checkProxy ?? remedy, isTransient);
  }
  const isWaiting = stage === 'waiting';
  const when = isWaiting ? 'before the response' : 'before the answer ended';
  const detail = /^(?:ECONNRESET|UND_ERR_.*)?$/.test(code) ? '' : ` (${code})`;
  // A server that expects TLS closes the connection of a plain http request.
  const remedy: Remedy = { code: 'check-scheme', scheme: 'https' };
  return fail(
    'unreachable',
    `${placeOf(route)} closed the connection ${when}${detail}`,
    isWaiting && !secure ? remedy : undefined,
    true,
  );
}

/**
 * The problem of a connection by the code of Node, and whether it may be gone within seconds: otherwise, a retry only
 * delays the failure.
 */
const connectProblems: Readonly<Record<string, readonly [problem: string, isTransient: boolean]>> =
  {
    ECONNREFUSED: ['the connection was refused', false],
    ENOTFOUND: ['the host was not found', false],
    EAI_AGAIN: ['the DNS lookup failed', true],
    EHOSTUNREACH: ['there is no route to the host', false],
    ENETUNREACH: ['there is no route to the network', false],
    ETIMEDOUT: ['the connection timed out', true],
    ECONNRESET: ['the connection was closed', true],
  };

const trustAuthority: Remedy = { code: 'trust-authority' };
const byUnknownAuthority = 'is signed by an authority unknown to this machine';

/** What follows `the TLS certificate of <host>` in the message, by the code of Node. */
const certificateProblems: Readonly<Record<string, readonly [string, Remedy]>> = {
  CERT_HAS_EXPIRED: ['has expired', { code: 'check-clock' }],
  CERT_NOT_YET_VALID: ['is not valid yet', { code: 'check-clock' }],
  CERT_REVOKED: ['was revoked', { code: 'replace-certificate' }],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['is self-signed', { code: 'trust-certificate' }],
  SELF_SIGNED_CERT_IN_CHAIN: [byUnknownAuthority, trustAuthority],
  UNABLE_TO_GET_ISSUER_CERT: [byUnknownAuthority, trustAuthority],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [byUnknownAuthority, trustAuthority],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [byUnknownAuthority, trustAuthority],
};

const maxNames = 5;

/** Lists the names in a certificate; it may have hundreds, so only the first few. */
function namesOf(error: unknown): string {
  const cert = isJsonObject(error) ? error['cert'] : undefined;
  const names = isJsonObject(cert) ? cert['subjectaltname'] : undefined;
  if (typeof names !== 'string' || names === '') return 'for a different name';
  const list = names.split(', ').map((name) => name.replace(/^(?:DNS|IP Address):/, ''));
  const more = list.length > maxNames ? ` and ${list.length - maxNames} more` : '';
  return `for ${list.slice(0, maxNames).join(', ')}${more}`;
}

/** The failure of a certificate that Node refuses with this code. */
export function certificateFailure(error: unknown, code: string, { target }: Route): Failure {
  const isOther = code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH';
  const [problem, remedy] = isOther
    ? ([
        `is ${namesOf(error)}, not for ${target.replace(/:\d+$/, '')}`,
        { code: 'check-host' },
      ] as const)
    : (certificateProblems[code] ?? ['is not trusted', trustAuthority]);
  return new Failure('unreachable', `the TLS certificate of ${target} ${problem} (${code})`, {
    cause: error,
    remedy,
  });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  // The parser of undici reports what is wrong in words only.
  if (error.name === 'HTTPParserError') return 'HPE_INVALID_RESPONSE';
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The failure of a connection that was not open after `limit` milliseconds. */
export function connectTimedOut(route: Route, limit: number): Failure {
  const message = `cannot reach ${placeOf(route)}: no connection within ${formatLimit(limit)}`;
  return new Failure('unreachable', message, {
    transient: true,
    remedy: { code: 'check-connection' },
  });
}

/** The failure of a proxy that responded with this status instead of passing the request on. */
export function proxyRefused(status: number, route: Route): Failure {
  const proxy = route.proxy === undefined ? 'a proxy' : `the proxy ${route.proxy}`;
  const variable = route.forwardProxy?.variable ?? 'HTTPS_PROXY';
  if (status === 407) {
    return new Failure('configuration', `${proxy} requires a user name and password (407)`, {
      remedy: { code: 'sign-in-to-proxy', variable },
    });
  }
  const message = `${proxy} refused the connection to ${route.target} (${status})`;
  return new Failure('unreachable', message, {
    transient: status >= 500,
    remedy: { code: 'check-proxy', variable },
  });
}
