import { Failure, type Remedy } from '../../failure.ts';
import { completeAddress, portProblem } from '../../address.ts';
import { maskUrl } from '../../secrets/mask.ts';

/** Users often copy the address of an endpoint from a manual. */
const chatEndpoint = /\/chat\/completions$/;
const modelsEndpoint = /\/models$/;

/** What the path of an API ends with: a version, or a name that services use instead of one. */
const apiPathEnd = /\/(?:v\d+(?:(?:alpha|beta)\d*)?|openai|inference|deployments\/[^/]+)$/;

/** What natter adds to a base URL that names no API. */
export const usualApiPath = '/v1';

/** The path of the API that a base URL names; undefined if it names none. */
function namedApi(pathname: string, apiPath: string | undefined): string | undefined {
  const path = pathname.replace(/\/+$/, '');
  if (apiPath !== undefined) return path + apiPath.replace(/\/+$/, '');
  const withoutChat = path.replace(chatEndpoint, '');
  if (withoutChat !== path) return withoutChat;
  const withoutModels = path.replace(modelsEndpoint, '');
  return apiPathEnd.test(withoutModels) ? withoutModels : undefined;
}

/** Whether a valid base URL names no API, so that natter adds `/v1`. */
export const guessesApiPath = (baseUrl: string, apiPath: string | undefined): boolean =>
  namedApi(new URL(completeAddress(baseUrl.trim())).pathname, apiPath) === undefined;

/**
 * Finds the root of a service's API, below which its endpoints are. The address of an endpoint, and one that ends with
 * a version or a known path (`https://host/v1beta/openai`), name the API; others get the usual `/v1`. Of a query, only
 * Azure's `api-version` is kept. `http://` is optional for a server on this machine.
 * @param apiPath replaces this guess: it follows the base URL, `/` for nothing
 * @throws Failure `configuration`; its message never shows a user name or password.
 */
export function parseBaseUrl(text: string, apiPath?: string): URL {
  const address = completeAddress(text.trim());
  const shown = maskUrl(address);
  const url = parseUrl(address);
  const refusal = (problem: string, remedy: Remedy = { code: 'correct-base-url' }) =>
    new Failure('configuration', `the base URL "${shown}" ${problem}`, { remedy });
  if (url === undefined) {
    const port = portProblem(shown);
    throw refusal(port === undefined ? 'is not a URL' : `has ${port}`);
  }
  if (!/^https?:$/.test(url.protocol)) throw refusal('is neither https nor http');
  if (url.username !== '' || url.password !== '') {
    throw refusal('contains a user name or password', { code: 'remove-user-info' });
  }
  const version = url.searchParams.get('api-version');
  const query = version === null ? '' : `?api-version=${encodeURIComponent(version)}`;
  const path = namedApi(url.pathname, apiPath) ?? url.pathname.replace(/\/+$/, '') + usualApiPath;
  return new URL(url.origin + path + query);
}

/** Parses a URL; undefined for any other text. */
export function parseUrl(text: string, base?: URL): URL | undefined {
  return URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
}

/**
 * Makes the address of an endpoint of an API.
 * @param path its segments are percent-encoded; with a slash at its start, it is the whole path
 */
export function endpointUrl({ origin, pathname, search }: URL, path: string): URL {
  const root = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return new URL(`${origin}${path.startsWith('/') ? '' : root}${path}${search}`);
}

/** Returns the port of a URL, also where it is the default one of the scheme. */
export function portOf({ port, protocol }: URL): string {
  if (port !== '') return port;
  return protocol === 'https:' ? '443' : '80';
}

/** Writes `host:port` of a URL, also where the port is the default one. */
export const hostAndPort = (url: URL): string => `${url.hostname}:${portOf(url)}`;
