import type { Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { isLoopbackName, percentDecoded, portProblem } from '../../address.ts';
import { maskUrl } from '../../secrets/mask.ts';
import { hostAndPort, parseUrl, portOf } from './base-url.ts';

/** The way to one service: directly or through a proxy. */
export type Route = ReturnType<typeof createRoute>;

/** Finds the way to a service, with the proxy of the environment. @throws Failure `configuration` for an invalid one */
export function createRoute(baseUrl: URL, environment: Environment) {
  const forwardProxy = proxyFor(baseUrl, environment);
  const secure = baseUrl.protocol === 'https:';
  // The requests to an https service pass a proxy in a tunnel.
  const httpProxy = secure ? undefined : forwardProxy?.url;
  return {
    /** `host:port` of the service, for messages. */
    target: hostAndPort(baseUrl),
    secure,
    /** With its password. */
    forwardProxy,
    /** URL of the proxy without its password, for messages. */
    proxy: forwardProxy && maskUrl(forwardProxy.url.href).replace(/\/$/, ''),
    /** What gets the requests: the service, or a proxy of plain http. */
    server: httpProxy ?? new URL(baseUrl.origin),
    /** Sent with every request: the host, and the login for a proxy of plain http. */
    headers: { host: baseUrl.host, ...(httpProxy && proxyHeaders(httpProxy)) },
    /** The target of a request line: a path, or the whole URL for a proxy of plain http. */
    path: ({ origin, pathname, search }: URL) =>
      `${httpProxy === undefined ? '' : origin}${pathname}${search}`,
  };
}

/** Makes the header for the login in the URL of a proxy. */
export function proxyHeaders({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const login = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}

/**
 * Finds the proxy for `url`, if one applies, and the environment variable that sets it: `HTTPS_PROXY` or `HTTP_PROXY`
 * by the scheme, then `ALL_PROXY`. Lower-case names take precedence, an empty variable counts as unset, and requests to
 * a loopback address use no proxy.
 * @throws Failure `configuration` for an invalid proxy URL; the message does not contain its password.
 */
export function proxyFor(url: URL, environment: Environment) {
  if (isLoopbackName(url.hostname)) return undefined;
  const scheme = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const found = readVariable(environment, scheme) ?? readVariable(environment, 'all_proxy');
  if (found === undefined) return undefined;
  const exceptions = readVariable(environment, 'no_proxy')?.value ?? '';
  if (isExempt(url, exceptions)) return undefined;
  return { url: parseProxyUrl(found.name, found.value), variable: found.name };
}

function readVariable(environment: Environment, name: string) {
  for (const spelling of [name, name.toUpperCase()]) {
    const value = environment[spelling]?.trim();
    if (value !== undefined && value !== '') return { name: spelling, value };
  }
  return undefined;
}

function parseProxyUrl(name: string, value: string): URL {
  const address = value.includes('://') ? value : `http://${value}`;
  const url = parseUrl(address);
  if (url !== undefined && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  const port = portProblem(address);
  const notUrl = port === undefined ? 'is not a URL' : `has ${port}`;
  const problem = url === undefined ? notUrl : 'is neither http nor https';
  throw new Failure('configuration', `the proxy "${maskUrl(value)}" in ${name} ${problem}`, {
    remedy: { code: 'check-proxy', variable: name },
  });
}

/** Reads `NO_PROXY` as curl and undici do: each entry is a host with its subdomains, and may have a port. */
function isExempt(url: URL, list: string): boolean {
  const host = bareHost(url.hostname);
  const port = portOf(url);
  return list.split(/[,\s]+/).some((entry) => {
    if (entry === '*') return true;
    if (entry === '') return false;
    // One colon separates a port; a bare IPv6 address has several.
    const [, name = entry, ownPort = port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
    const exception = bareHost(name).replace(/^(\*?\.)/, '');
    return ownPort === port && (host === exception || host.endsWith(`.${exception}`));
  });
}

function bareHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.+)\]$/, '$1')
    .replace(/(.)\.$/, '$1');
}
