import { Failure, type Remedy } from '../../failure.ts';
import { completeAddress, portProblem } from '../../address.ts';
import { maskUrl } from '../../secrecy/mask.ts';

const remedy: Remedy = { code: 'correct-base-url' };

/** Users often copy the address of an endpoint from a manual. */
const versionAndEndpoint = /(?:\/v1(?:\/chat\/completions|\/models)?)?\/*$/;

/**
 * The service's root without its `/v1`: `https://host/v1/`, `https://host`, `https://host/` and the address of an
 * endpoint are the same service; a path prefix (`https://host/openai/v1`) is kept. `http://` is optional for a server
 * on this machine.
 * @throws Failure `configuration`; its message never shows a user name or password.
 */
export function parseBaseUrl(text: string): URL {
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
  return new URL(url.origin + url.pathname.replace(versionAndEndpoint, ''));
}

export function parseUrl(text: string, base?: URL): URL | undefined {
  return URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
}

/** Address of an endpoint; `path` is relative to `/v1/`, its segments percent-encoded. */
export function endpointUrl(baseUrl: URL, path: string): URL {
  const { origin, pathname } = baseUrl;
  const root = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  return new URL(`${origin}${root}/v1/${path}`);
}

/** `host:port` of a URL, also for the scheme's default port. */
export function hostAndPort(url: URL): string {
  return url.port === '' ? `${url.hostname}:${url.protocol === 'https:' ? 443 : 80}` : url.host;
}
