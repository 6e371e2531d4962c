import { Failure } from '../failure.ts';
import { isJsonObject } from '../json.ts';
import { createSecretFilter, minLengthInMessages } from '../secrets/secret-filter.ts';
import { secretsOf } from '../secrets/secret-parts.ts';
import type { ClientOptions } from './client.ts';
import type { Mask } from './failure/error-body.ts';
import { endpointUrl, guessesApiPath, parseBaseUrl } from './http/base-url.ts';
import { requestHeaders, requireEncryption } from './http/request-headers.ts';
import { createRoute } from './http/route.ts';
import type { HttpRequest, Transport } from './http/transport.ts';

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
