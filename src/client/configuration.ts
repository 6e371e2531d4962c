import { Failure } from '../failure.ts';
import { isJsonObject } from '../json.ts';
import { createSecretFilter, minLengthInMessages } from '../secrets/secret-filter.ts';
import { secretsOf } from '../secrets/secret-parts.ts';
import type { ClientOptions } from './client.ts';
import type { Mask } from './failure/error-body.ts';
import { guessesApiPath, endpointUrl, parseBaseUrl } from './http/base-url.ts';
import { requestHeaders, requireEncryption, secretIn } from './http/request-headers.ts';
import { createRoute, type Route } from './http/route.ts';
import type { ExchangeLimits, HttpRequest, Transport } from './http/transport.ts';

export interface RetryPolicy {
  readonly retries: number;
  /** Longest `Retry-After` to wait for, in milliseconds; 0 and `Infinity` mean any up to a year. */
  readonly waitLimit: number;
  readonly random: () => number;
}

/** A client's options, validated, with their defaults. */
export interface Configuration {
  readonly route: Route;
  readonly limits: ExchangeLimits;
  readonly policy: RetryPolicy;
  /** Milliseconds without content; 0 and `Infinity` are no limit. */
  readonly idleTimeout: number;
  /** Milliseconds for everything; 0 and `Infinity` are no limit. */
  readonly totalTimeout: number;
  /** A request to the endpoint at `path`, relative to the API: a POST if there is a body. */
  request(path: string, body?: unknown): HttpRequest;
  /** Masks the key and other secrets. */
  readonly mask: Mask;
}

/** What sends the requests of a client, from `createClient` until `close`. */
export interface Sender extends Configuration {
  readonly send: Transport;
  /** Aborts with a Failure when the client is closed. */
  readonly closed: AbortSignal;
}

/** The filter is created for the first failure, because most clients report none. */
function maskOf({
  apiKey,
  headers = {},
  baseUrl,
  environment,
}: Omit<ClientOptions, 'network'>): Mask {
  let mask: Mask | undefined;
  return (text) => {
    const secrets = secretsOf({ apiKey, addresses: [baseUrl], environment, headers });
    mask ??= createSecretFilter(secrets, minLengthInMessages)?.mask;
    return mask?.(text) ?? text;
  };
}

/** @throws Failure `configuration` for invalid options */
export function configure(options: Omit<ClientOptions, 'network'>): Configuration {
  const { clock, environment, random } = options;
  const baseUrl = parseBaseUrl(options.baseUrl, options.apiPath);
  const isPathGuessed = guessesApiPath(options.baseUrl, options.apiPath);
  const headers = requestHeaders(options);
  requireEncryption(baseUrl, secretIn(headers), options.allowInsecure ?? false);
  const { retries, retryWaitLimit, connectTimeout, firstByteTimeout, ...timeouts } =
    readLimits(options);
  return {
    route: createRoute(baseUrl, environment),
    limits: { clock, connectTimeout, firstByteTimeout },
    policy: { retries, waitLimit: retryWaitLimit, random },
    ...timeouts,
    request(path, body) {
      const url = endpointUrl(baseUrl, path);
      const json = 'application/json';
      if (body === undefined) {
        return { method: 'GET', url, headers: { accept: json, ...headers }, isPathGuessed };
      }
      const types = [json, 'text/event-stream'];
      // Gateways use the first type that they know.
      if (isJsonObject(body) && body['stream'] === true) types.reverse();
      return {
        method: 'POST',
        url,
        isPathGuessed,
        headers: { accept: types.join(', '), 'content-type': json, ...headers },
        // Serialized once, so that every attempt sends the same bytes.
        body: Buffer.from(JSON.stringify(body)),
      };
    },
    mask: maskOf(options),
  };
}

/** In the units of `ClientOptions`. */
const defaultLimits = {
  retries: 4,
  retryWaitLimit: 60_000,
  connectTimeout: 10_000,
  firstByteTimeout: 600_000,
  idleTimeout: 300_000,
  totalTimeout: 0,
};

/**
 * The limits in `options`, with defaults for the others.
 * @throws Failure `configuration` for a limit that is negative, `NaN`, or not a number
 */
function readLimits(options: Partial<typeof defaultLimits>) {
  const limits = { ...defaultLimits };
  for (const name of Object.keys(defaultLimits) as (keyof typeof limits)[]) {
    const value = options[name] ?? defaultLimits[name];
    const isLimit = typeof value === 'number' && value >= 0;
    const isWhole = name !== 'retries' || value === Infinity || Number.isInteger(value);
    if (!isLimit || !isWhole) {
      const expected = name === 'retries' ? 'a whole number' : 'a number of milliseconds';
      throw new Failure(
        'configuration',
        `${name} is ${value}, which is not ${expected} from 0 up`,
        { remedy: { code: 'correct-limit', option: name } },
      );
    }
    limits[name] = value;
  }
  return limits;
}
