import { isLoopbackName } from '../address.ts';
import { Failure } from '../failure.ts';
import { isJsonObject } from '../json.ts';
import { createSecretFilter, minLengthInMessages } from '../secrets/secret-filter.ts';
import { isSecretHeader, keyProblem, secretsOf } from '../secrets/secret-parts.ts';
import type { ClientOptions } from './client.ts';
import type { Mask } from './failure/error-body.ts';
import { endpointUrl, guessesApiPath, hostAndPort, parseBaseUrl } from './http/base-url.ts';
import { createRoute } from './http/route.ts';
import type { HttpRequest, RequestHeaders, Transport } from './http/transport.ts';

/** What sends the requests of a client, from `createClient` until `close`. */
export interface Sender extends ReturnType<typeof configure> {
  readonly send: Transport;
  /** Aborts with a Failure when the client is closed. */
  readonly closed: AbortSignal;
}

/**
 * Checks a client's options and adds their defaults. Durations are milliseconds; 0 and `Infinity` are no limit.
 * @throws Failure `configuration` for invalid options
 */
export function configure(options: Omit<ClientOptions, 'network'>) {
  const { clock, environment, random } = options;
  const baseUrl = parseBaseUrl(options.baseUrl, options.apiPath);
  const isPathGuessed = guessesApiPath(options.baseUrl, options.apiPath);
  const headers = requestHeaders(options);
  requireEncryption(baseUrl, headers, options.allowInsecure ?? false);
  const addresses = [options.baseUrl];
  const secrets = secretsOf({ ...options, headers: options.headers ?? {}, addresses });
  const filter = createSecretFilter(secrets, minLengthInMessages);
  const mask: Mask = (text) => filter?.mask(text) ?? text;
  return {
    route: createRoute(baseUrl, environment),
    clock,
    random,
    limits: readLimits(options),
    mask,
    /** Makes a request to the endpoint at `path`, relative to the API: a POST if there is a body. */
    request(path: string, body?: unknown): HttpRequest {
      const common = { url: endpointUrl(baseUrl, path), isPathGuessed };
      const json = 'application/json';
      if (body === undefined)
        return { ...common, method: 'GET', headers: { accept: json, ...headers } };
      const types = [json, 'text/event-stream'];
      // Gateways use the first type that they know.
      if (isJsonObject(body) && body['stream'] === true) types.reverse();
      return {
        ...common,
        method: 'POST',
        headers: { accept: types.join(', '), 'content-type': json, ...headers },
        // Serialized once, so that every attempt sends the same bytes.
        body: Buffer.from(JSON.stringify(body)),
      };
    },
  };
}

/** The limits have the units of `ClientOptions`. */
const defaultLimits = {
  retries: 4,
  retryWaitLimit: 60_000,
  connectTimeout: 10_000,
  firstByteTimeout: 600_000,
  idleTimeout: 300_000,
  totalTimeout: 0,
};

/**
 * Returns the limits in `options`, with defaults for the others.
 * @throws Failure `configuration` for a limit that is negative, `NaN`, or not a number
 */
function readLimits(options: Partial<typeof defaultLimits>) {
  const limits = { ...defaultLimits };
  for (const name of Object.keys(defaultLimits) as (keyof typeof limits)[]) {
    const value = options[name] ?? defaultLimits[name];
    const isCount = name === 'retries';
    const isWhole = !isCount || value === Infinity || Number.isInteger(value);
    if (typeof value !== 'number' || !(value >= 0) || !isWhole) {
      const expected = isCount ? 'a whole number' : 'a number of milliseconds';
      const problem = `${name} is ${value}, which is not ${expected} from 0 up`;
      const remedy = { code: 'correct-limit', option: name } as const;
      throw new Failure('configuration', problem, { remedy });
    }
    limits[name] = value;
  }
  return limits;
}

/**
 * Makes the headers of every request; the user's headers replace natter's of the same name.
 * @throws Failure `configuration` for an invalid key or header; the message does not contain it
 */
export function requestHeaders(
  options: Pick<ClientOptions, 'apiKey' | 'baseUrl' | 'headers' | 'userAgent'>,
): RequestHeaders {
  const headers: Record<string, string> = {
    'user-agent': options.userAgent,
    // Compression delays a stream.
    'accept-encoding': 'identity',
  };
  if (options.apiKey !== undefined) {
    const key = options.apiKey.trim();
    const problem = keyProblem(key);
    if (problem !== undefined) {
      const remedy = { code: 'enter-key-again' } as const;
      throw new Failure('configuration', `the API key ${problem}`, { remedy });
    }
    // Azure's API with an `api-version` takes keys in a header of their own, and tokens of Entra (JWTs) as others do.
    const isAzureKey = /[?&]api-version=/.test(options.baseUrl) && !/^eyJ[\w-]+\./.test(key);
    if (isAzureKey) headers['api-key'] = key;
    else headers['authorization'] = `Bearer ${key}`;
  }
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    const refuse = (problem: string) => new Failure('configuration', problem);
    // RFC 9110, sections 5.1 and 5.5.
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw refuse(`"${name}" is not a valid header name`);
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      const problem = 'contains characters not allowed in an HTTP header';
      throw refuse(`the value of the header ${name} ${problem}`);
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

/**
 * Refuses to send a secret unencrypted to a different host.
 * @throws Failure `configuration`
 */
export function requireEncryption(
  baseUrl: URL,
  headers: RequestHeaders,
  allowInsecure: boolean,
): void {
  const isSafe = baseUrl.protocol === 'https:' || isLoopbackName(baseUrl.hostname);
  const name = Object.keys(headers).find(isSecretHeader);
  if (name === undefined || allowInsecure || isSafe) return;
  const secret = name === 'authorization' ? 'the key' : `the header ${name}`;
  const problem = `${secret} would be sent unencrypted to ${hostAndPort(baseUrl)} over plain http`;
  throw new Failure('configuration', problem, { remedy: { code: 'use-https' } });
}
