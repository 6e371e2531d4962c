import { Failure, type Remedy } from '../../failure.ts';
import { completeAddress, portProblem } from '../../address.ts';
import { maskUrl } from '../../secrets/mask.ts';

const remedy: Remedy = { code: 'correct-base-url' };

/** Users often copy the address of an endpoint from a manual. */
const chatEndpoint = /\/chat\/completions$/;
const modelsEndpoint = /\/models$/;

/** What the path of an API ends with: a version, or a name that services use instead of one. */
const apiPathEnd = /\/(?:v\d+(?:(?:alpha|beta)\d*)?|openai|inference|deployments\/[^/]+)$/;

/** What natter adds to a base URL that names no API. */
export const usualApiPath = '/v1';

interface Api {
  readonly path: string;
  readonly isAdded: boolean;
}

function apiOf(pathname: string, apiPath: string | undefined): Api {
  const path = pathname.replace(/\/+$/, '');
  if (apiPath !== undefined) return { path: path + apiPath.replace(/\/+$/, ''), isAdded: false };
  const withoutChat = path.replace(chatEndpoint, '');
  const withoutModels = path.replace(modelsEndpoint, '');
  if (withoutChat !== path) return { path: withoutChat, isAdded: false };
  if (apiPathEnd.test(withoutModels)) return { path: withoutModels, isAdded: false };
  return { path: path + usualApiPath, isAdded: true };
}

/** Whether natter adds `/v1` to a valid base URL. */
export const addsApiPath = (baseUrl: string, apiPath: string | undefined): boolean =>
  apiOf(new URL(completeAddress(baseUrl.trim())).pathname, apiPath).isAdded;

/**
 * The root of a service's API, beside which its endpoints are. The address of an endpoint, and one that ends with a
 * version or a known path (`https://host/v1beta/openai`), name the API; others get the usual `/v1`. Of a query, only
 * Azure's `api-version` is kept. `http://` is optional for a server on this machine.
 * @param apiPath replaces this guess: it follows the base URL, `/` for nothing
 * @throws Failure `configuration`; its message never shows a user name or password.
 */
export function parseBaseUrl(text: string, apiPath?: string): URL {
  const address = completeAddress(text.trim());
  const shown = maskUrl(address);
  const url = parseUrl(address);
  if (url === undefined) {
    const port = portProblem(shown);
    const problem = port === undefined ? 'is not a URL' : `has ${port}`;
    throw new Failure('configuration', `the base URL "${shown}" ${problem}`, { remedy });
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Failure('configuration', `the base URL "${shown}" is neither https nor http`, {
      remedy,
    });
  }
  if (address.includes('@') && (url.username !== '' || url.password !== '')) {
    throw new Failure('configuration', `the base URL ${shown} contains a user name or password`, {
      remedy: { code: 'remove-user-info' },
    });
  }
  const version = url.searchParams.get('api-version');
  const query = version === null ? '' : `?api-version=${encodeURIComponent(version)}`;
  return new URL(url.origin + apiOf(url.pathname, apiPath).path + query);
}

export function parseUrl(text: string, base?: URL): URL | undefined {
  return URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
}

/** Address of an endpoint of an API; the segments of `path` are percent-encoded. */
export function endpointUrl({ origin, pathname, search }: URL, path: string): URL {
  const root = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  return new URL(`${origin}${root}/${path}${search}`);
}

/** `host:port` of a URL, also for the scheme's default port. */
export function hostAndPort(url: URL): string {
  return url.port === '' ? `${url.hostname}:${url.protocol === 'https:' ? 443 : 80}` : url.host;
}
