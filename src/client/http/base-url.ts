import { Failure, type Remedy } from '../../failure.ts';
import { completeAddress, portProblem } from '../../address.ts';
import { maskUrl } from '../../secrecy/mask.ts';

const remedy: Remedy = { code: 'correct-base-url' };

/** People often copy the address of an endpoint from a manual. */
const versionAndEndpoint = /\/v1(\/chat\/completions|\/models)?$/;

/**
 * The service's root without its `/v1`: `https://host/v1/`, `https://host` and `https://host/` are the same
 * service, and so is the whole address of an endpoint; a path prefix (`https://host/openai/v1`) stays. A server on
 * this machine needs no `http://`.
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
  if (url.username !== '' || url.password !== '') {
    throw new Failure('configuration', `the base URL ${shown} contains a user name or password`, {
      remedy: { code: 'remove-user-info' },
    });
  }
  url.search = '';
  url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '').replace(versionAndEndpoint, '');
  return url;
}

/** The parsed URL; undefined when `text` is not one. */
export function parseUrl(text: string, base?: URL): URL | undefined {
  return URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
}

/** Address of an endpoint, `path` counted from `/v1/`; its segments are already percent-encoded. */
export function endpointUrl(baseUrl: URL, path: string): URL {
  const url = new URL(baseUrl);
  url.pathname = `${baseUrl.pathname.replace(/\/$/, '')}/v1/${path}`;
  return url;
}

/** `host:port` of a URL, the scheme's own port included. */
export function hostAndPort(url: URL): string {
  return url.port === '' ? `${url.hostname}:${url.protocol === 'https:' ? 443 : 80}` : url.host;
}
