import { Failure } from '../failure.ts';
import { isJsonObject } from '../json.ts';
import { createSecretFilter, minLengthInMessages } from '../secrets/secret-filter.ts';
import { secretsOf } from '../secrets/secret-parts.ts';
import type { ClientOptions } from './client.ts';
import type { Mask } from './failure/error-body.ts';
import { addsApiPath, endpointUrl, parseBaseUrl } from './http/base-url.ts';
import { requireEncryption, requestHeaders } from './http/request-headers.ts';
import { createRoute, type Route } from './http/route.ts';
import type { ExchangeLimits, HttpRequest, RequestHeaders, Transport } from './http/transport.ts';
import type { RetryPolicy } from './retry.ts';

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

export interface Connection extends Configuration {
  readonly send: Transport;
}

const eventStream = 'text/event-stream';
const jsonBody = 'application/json';

const isStreamed = (body: unknown) => isJsonObject(body) && body['stream'] === true;

const postHeaders = (accept: string, headers: RequestHeaders): RequestHeaders => ({
  accept,
  'content-type': jsonBody,
  ...headers,
});

type SecretOptions = Pick<ClientOptions, 'apiKey' | 'headers' | 'baseUrl' | 'environment'>;

/** The filter is created for the first failure, because most clients report none. */
function maskOf({ apiKey, headers, baseUrl, environment }: SecretOptions): Mask {
  let mask: Mask | undefined;
  return (text) => {
    const sources = { apiKey, addresses: [baseUrl], environment, ...(headers && { headers }) };
    mask ??= createSecretFilter(secretsOf(sources), minLengthInMessages)?.mask;
    return mask?.(text) ?? text;
  };
}

/** @throws Failure `configuration` for invalid options */
export function configure(options: Omit<ClientOptions, 'network'>): Configuration {
  const baseUrl = parseBaseUrl(options.baseUrl, options.apiPath);
  const hasAddedPath = addsApiPath(options.baseUrl, options.apiPath);
  const headers = requestHeaders(options);
  requireEncryption(baseUrl, headers, options.allowInsecure ?? false);
  const { retries, retryWaitLimit, connectTimeout, firstByteTimeout, ...timeouts } =
    readLimits(options);
  // Gateways use the first type that they know.
  const streamHeaders = postHeaders(`${eventStream}, ${jsonBody}`, headers);
  const wholeHeaders = postHeaders(`${jsonBody}, ${eventStream}`, headers);
  const urls = new Map<string, URL>();
  function urlOf(path: string): URL {
    const known = urls.get(path);
    if (known !== undefined) return known;
    const url = endpointUrl(baseUrl, path);
    urls.set(path, url);
    return url;
  }
  return {
    route: createRoute(baseUrl, options.environment),
    limits: { clock: options.clock, connectTimeout, firstByteTimeout },
    policy: { retries, waitLimit: retryWaitLimit, random: options.random },
    ...timeouts,
    request(path, body) {
      const url = urlOf(path);
      if (body === undefined) {
        return { method: 'GET', url, headers: { accept: jsonBody, ...headers }, hasAddedPath };
      }
      return {
        method: 'POST',
        url,
        hasAddedPath,
        headers: isStreamed(body) ? streamHeaders : wholeHeaders,
        // Serialized once, so that every attempt sends the same bytes.
        body: Buffer.from(JSON.stringify(body)),
      };
    },
    mask: maskOf(options),
  };
}

const defaultLimits = {
  retries: 4,
  retryWaitLimit: 60_000,
  connectTimeout: 10_000,
  firstByteTimeout: 600_000,
  idleTimeout: 300_000,
  totalTimeout: 0,
};

/** In the units of `ClientOptions`. */
type Limits = Readonly<typeof defaultLimits>;

type LimitName = keyof Limits;

function isLimit(value: unknown, name: LimitName): boolean {
  if (typeof value !== 'number' || !(value >= 0)) return false;
  return name !== 'retries' || value === Infinity || Number.isInteger(value);
}

/**
 * The limits in `options`, with defaults for the others.
 * @throws Failure `configuration` for a limit that is negative, `NaN`, or not a number
 */
function readLimits(options: Partial<Limits>): Limits {
  const limits = { ...defaultLimits };
  for (const name of Object.keys(defaultLimits) as LimitName[]) {
    const value = options[name] ?? defaultLimits[name];
    if (!isLimit(value, name)) {
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
