import { createSecretFilter, shortestInMessages } from '../secrecy/secret-filter.ts';
import { secretsOf } from '../secrecy/secret-parts.ts';
import type { ClientOptions } from './client.ts';
import { isJsonObject } from '../json.ts';
import { endpointUrl, parseBaseUrl } from './http/base-url.ts';
import type { ExchangeLimits } from './http/exchange.ts';
import { readLimits } from './limits.ts';
import { checkSecrecy, requestHeaders } from './http/request-headers.ts';
import type { RetryPolicy } from './retry/retry-policy.ts';
import { createRoute, type Route } from './http/route.ts';
import type { HttpRequest } from './http/transport.ts';

/** A service as one client reaches it: the client's options, checked, with their defaults. */
export interface Service {
  readonly route: Route;
  readonly limits: ExchangeLimits;
  readonly policy: RetryPolicy;
  /** Milliseconds without content; 0 and `Infinity` are no limit. */
  readonly idleTimeout: number;
  /** Milliseconds for everything; 0 and `Infinity` are no limit. */
  readonly totalTimeout: number;
  /** A request of the endpoint at `path`, counted from `/v1/`: a POST when there is a body. */
  request(path: string, body?: unknown): HttpRequest;
  /** Takes the key and other secrets out of a text. */
  readonly mask: (text: string) => string;
}

const eventStream = 'text/event-stream';
const jsonBody = 'application/json';

const isStreamed = (body: unknown) => isJsonObject(body) && body['stream'] === true;

/** Made by the first failure, as most clients report none. */
function maskOf({ apiKey, headers, baseUrl, environment }: ClientOptions): Service['mask'] {
  let mask: Service['mask'] | undefined;
  return (text) => {
    const sources = { apiKey, addresses: [baseUrl], environment, ...(headers && { headers }) };
    mask ??= createSecretFilter(secretsOf(sources), shortestInMessages)?.mask;
    return mask?.(text) ?? text;
  };
}

/** @throws Failure `configuration` for options no request can be made with */
export function createService(options: ClientOptions): Service {
  const baseUrl = parseBaseUrl(options.baseUrl);
  const headers = requestHeaders(options);
  checkSecrecy(baseUrl, headers, options.allowInsecure ?? false);
  const { retries, retryWaitLimit, connectTimeout, firstByteTimeout, ...timeouts } =
    readLimits(options);
  return {
    route: createRoute(baseUrl, options.environment),
    limits: { clock: options.clock, connectTimeout, firstByteTimeout },
    policy: { retries, waitLimit: retryWaitLimit, random: options.random },
    ...timeouts,
    request(path, body) {
      const url = endpointUrl(baseUrl, path);
      if (body === undefined) {
        return { method: 'GET', url, headers: { accept: jsonBody, ...headers } };
      }
      return {
        method: 'POST',
        url,
        headers: {
          // Gateways choose by the first type they know.
          accept: isStreamed(body) ? `${eventStream}, ${jsonBody}` : `${jsonBody}, ${eventStream}`,
          'content-type': jsonBody,
          ...headers,
        },
        // Written once: every attempt sends the same bytes.
        body: Buffer.from(JSON.stringify(body)),
      };
    },
    mask: maskOf(options),
  };
}
