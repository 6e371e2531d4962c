import { certificateFailure } from './certificate-failure.ts';
import { RequestFailure } from './request-failure.ts';
import type { Route } from '../http/route.ts';
import { limitInWords } from './wait-words.ts';

/** How far a request had come when its connection failed. */
export type Stage = 'connecting' | 'waiting' | 'answering';

const certificateCodes =
  /^(CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|HOSTNAME_MISMATCH|INVALID_CA|ERR_TLS_CERT_ALTNAME)/;
const handshakeCodes = /^(ERR_SSL_|ERR_TLS_|EPROTO)/;

/** The failure a person can act on, from what Node's network layer reported. */
export function networkFailure(error: unknown, stage: Stage, route: Route): RequestFailure {
  const code = codeOf(error);
  const place = route.proxy === undefined ? route.target : `the proxy ${route.proxy}`;
  if (certificateCodes.test(code)) return certificateFailure(error, code, route);
  if (code === 'HPE_HEADER_OVERFLOW') return longHeaders(error, place);
  if (handshakeCodes.test(code)) {
    return new RequestFailure(
      'unreachable',
      `no TLS connection to ${place} is possible (${code})`,
      {
        transient: false,
        cause: error,
        hint: 'check the port of the base URL, and whether it should begin with http://',
      },
    );
  }
  if (code.startsWith('HPE_')) {
    return new RequestFailure('server_error', `${place} does not answer in HTTP (${code})`, {
      transient: false,
      cause: error,
      hint: 'check the base URL: natter auth status',
    });
  }
  return stage === 'connecting'
    ? connectFailure(error, code, place, route)
    : cutFailure(error, code, stage, { place, secure: route.secure });
}

const connectProblems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'no such host is known',
  EAI_AGAIN: 'the name service does not answer',
  EHOSTUNREACH: 'no way leads to the host',
  ENETUNREACH: 'no way leads to the network',
  ETIMEDOUT: 'the connection timed out',
  ECONNRESET: 'the connection was closed',
};

// These hardly change within seconds: an answer at once serves better than a few tries.
const lastingProblems = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH']);

function connectFailure(
  error: unknown,
  code: string,
  place: string,
  { proxyVariable }: Route,
): RequestFailure {
  const problem = connectProblems[code] ?? (code === '' ? 'the connection failed' : code);
  return new RequestFailure('unreachable', `cannot reach ${place}: ${problem}`, {
    transient: !lastingProblems.has(code),
    cause: error,
    hint:
      proxyVariable === undefined
        ? 'check the base URL and the network: natter auth status'
        : `check ${proxyVariable}, or name the host in NO_PROXY`,
  });
}

function cutFailure(
  error: unknown,
  code: string,
  stage: Stage,
  { place, secure }: Pick<Route, 'secure'> & { readonly place: string },
): RequestFailure {
  const when = stage === 'waiting' ? 'before it answered' : 'before the answer ended';
  const how = code === '' || code === 'ECONNRESET' ? '' : ` (${code})`;
  return new RequestFailure('unreachable', `${place} closed the connection ${when}${how}`, {
    transient: true,
    cause: error,
    // A server that expects TLS closes without a word when it is spoken to in plain http.
    ...(stage === 'waiting' &&
      !secure && { hint: 'ask again later, or check whether the base URL needs https://' }),
  });
}

/** Node reads no more than 16 KB of them (`--max-http-header-size`). */
function longHeaders(error: unknown, place: string): RequestFailure {
  return new RequestFailure(
    'server_error',
    `${place} sent more than 16 KB of response headers, and natter reads no more`,
    {
      transient: false,
      cause: error,
      hint: 'a gateway in between may add them; NODE_OPTIONS=--max-http-header-size=65536 allows more',
    },
  );
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

export function connectTimedOut(route: Route, limit: number): RequestFailure {
  const place = route.proxy === undefined ? route.target : `the proxy ${route.proxy}`;
  return new RequestFailure(
    'unreachable',
    `cannot reach ${place}: no connection within ${limitInWords(limit)}`,
    { transient: true, hint: 'check the base URL and the network: natter auth status' },
  );
}

// Not sent again: the service may be generating, and a second request could be billed as well.
export function firstByteTimedOut(route: Route, limit: number): RequestFailure {
  return new RequestFailure(
    'unreachable',
    `${route.target} did not begin to answer within ${limitInWords(limit)}`,
    { transient: false, hint: 'ask again, or allow more time with --first-byte-timeout' },
  );
}

export function proxyRefused(status: number, route: Route): RequestFailure {
  const proxy = route.proxy === undefined ? 'a proxy' : `the proxy ${route.proxy}`;
  const variable = route.proxyVariable ?? 'HTTPS_PROXY';
  if (status === 407) {
    return new RequestFailure('configuration', `${proxy} wants a user name and password (407)`, {
      transient: false,
      hint: `put them into the proxy variable: ${variable}=http://user:password@host:port`,
    });
  }
  return new RequestFailure(
    'unreachable',
    `${proxy} refused the connection to ${route.target} (${status})`,
    { transient: status >= 500, hint: `check ${variable}, or name the host in NO_PROXY` },
  );
}
