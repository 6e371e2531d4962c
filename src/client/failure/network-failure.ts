import { maxHeaderSize } from 'node:http';
import { isLoopbackName } from '../../address.ts';
import type { Remedy } from '../../failure.ts';
import type { Route } from '../http/route.ts';
import { certificateFailure } from './certificate-failure.ts';
import { formatLimit } from './format-duration.ts';
import { RequestFailure } from './request-failure.ts';

/** How far a request had got when its connection failed. */
export type Stage = 'connecting' | 'waiting' | 'answering';

const certificateCodes =
  /^(CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_CERT_ALTNAME)/;
const handshakeCodes = /^(ERR_SSL_|ERR_TLS_|EPROTO)/;

/** What a connection is to: the service, or a proxy. */
const placeOf = ({ proxy, target }: Route) => (proxy === undefined ? target : `the proxy ${proxy}`);

/** The failure for an error of the network; a failure of natter unchanged. */
export function networkFailure(error: unknown, stage: Stage, route: Route): RequestFailure {
  if (error instanceof RequestFailure) return error;
  const code = codeOf(error);
  const place = placeOf(route);
  if (certificateCodes.test(code)) return certificateFailure(error, code, route);
  if (/^(?:HPE_HEADER|UND_ERR_HEADERS)_OVERFLOW$/.test(code)) return headerOverflow(error, place);
  if (handshakeCodes.test(code)) {
    return new RequestFailure('unreachable', `cannot open a TLS connection to ${place} (${code})`, {
      transient: false,
      cause: error,
      remedy: { code: 'check-scheme', scheme: 'http' },
    });
  }
  if (code.startsWith('HPE_')) {
    const isAnswer = stage === 'answering';
    const what = isAnswer ? 'malformed' : 'not HTTP';
    return new RequestFailure('server_error', `the response of ${place} is ${what} (${code})`, {
      transient: false,
      cause: error,
      remedy: { code: isAnswer ? 'report-to-operator' : 'check-base-url' },
    });
  }
  return stage === 'connecting'
    ? connectFailure(error, code, place, route)
    : cutFailure(error, code, stage, route);
}

const connectProblems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host was not found',
  EAI_AGAIN: 'the DNS lookup failed',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
  ETIMEDOUT: 'the connection timed out',
  ECONNRESET: 'the connection was closed',
};

/** These seldom change within seconds, so a retry only delays the failure. */
const lastingProblems = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH']);

function connectFailure(error: unknown, code: string, place: string, route: Route): RequestFailure {
  const problem = connectProblems[code] ?? (code === '' ? 'the connection failed' : code);
  return new RequestFailure('unreachable', `cannot reach ${place}: ${problem}`, {
    transient: !lastingProblems.has(code),
    cause: error,
    remedy: connectRemedy(code, route),
  });
}

function connectRemedy(code: string, { target, forwardProxy }: Route): Remedy {
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(target) ?? [];
  const isServerHere = code === 'ECONNREFUSED' && isLoopbackName(host);
  if (forwardProxy !== undefined) return { code: 'check-proxy', variable: forwardProxy.variable };
  return isServerHere ? { code: 'start-server', port } : { code: 'check-connection' };
}

function cutFailure(error: unknown, code: string, stage: Stage, route: Route): RequestFailure {
  const when = stage === 'waiting' ? 'before the response' : 'before the answer ended';
  const detail = /^(?:ECONNRESET|UND_ERR_.*)?$/.test(code) ? '' : ` (${code})`;
  return new RequestFailure(
    'unreachable',
    `${placeOf(route)} closed the connection ${when}${detail}`,
    {
      transient: true,
      cause: error,
      // A server that expects TLS closes the connection of a plain http request.
      ...(stage === 'waiting' &&
        !route.secure && { remedy: { code: 'check-scheme', scheme: 'https' } }),
    },
  );
}

function headerOverflow(error: unknown, place: string): RequestFailure {
  return new RequestFailure(
    'server_error',
    `the response headers of ${place} exceed the limit of ${maxHeaderSize} bytes`,
    {
      transient: false,
      cause: error,
      remedy: { code: 'raise-header-limit' },
    },
  );
}

/** The code of an error of Node or undici; empty if it has none. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  // The parser of undici reports what is wrong in words only.
  if (error.name === 'HTTPParserError') return 'HPE_INVALID_RESPONSE';
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

export function connectTimedOut(route: Route, limit: number): RequestFailure {
  return new RequestFailure(
    'unreachable',
    `cannot reach ${placeOf(route)}: no connection within ${formatLimit(limit)}`,
    { transient: true, remedy: { code: 'check-connection' } },
  );
}

/** Not retried: the service may be generating, and a second request could be billed as well. */
export function firstByteTimedOut(route: Route, limit: number): RequestFailure {
  return new RequestFailure(
    'unreachable',
    `${route.target} sent no response within ${formatLimit(limit)}`,
    { transient: false, remedy: { code: 'raise-timeout', limit: 'firstByteTimeout' } },
  );
}

export function proxyRefused(status: number, route: Route): RequestFailure {
  const proxy = route.proxy === undefined ? 'a proxy' : `the proxy ${route.proxy}`;
  const variable = route.forwardProxy?.variable ?? 'HTTPS_PROXY';
  if (status === 407) {
    return new RequestFailure('configuration', `${proxy} requires a user name and password (407)`, {
      transient: false,
      remedy: { code: 'sign-in-to-proxy', variable },
    });
  }
  return new RequestFailure(
    'unreachable',
    `${proxy} refused the connection to ${route.target} (${status})`,
    { transient: status >= 500, remedy: { code: 'check-proxy', variable } },
  );
}
