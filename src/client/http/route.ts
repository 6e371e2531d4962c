import type { Agent, request as httpRequest } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { TcpNetConnectOpts } from 'node:net';
import type { Environment } from '../../environment.ts';
import { maskUrl } from '../../secrecy/mask.ts';
import { hostAndPort } from './base-url.ts';
import { proxyFor, type Proxy } from './proxy.ts';

/** Milliseconds for each address of a host that has several; Node's own 250 is too little for slow networks. */
const addressTimeout = 1_000;

/** The connections to one service, kept open between requests, directly or through a proxy. */
export interface Route {
  /** `host:port` of the service, for messages. */
  readonly target: string;
  readonly secure: boolean;
  /** URL of the proxy without its password, for messages. */
  readonly proxy: string | undefined;
  /** The environment variable that sets the proxy. */
  readonly proxyVariable: string | undefined;
  /** Loads the modules that the route needs, on the first call. */
  open(): Promise<OpenRoute>;
  close(): void;
}

export interface OpenRoute {
  readonly agent: Agent;
  readonly request: typeof httpRequest;
}

/** @throws Failure `configuration` for an invalid proxy URL */
export function createRoute(baseUrl: URL, environment: Environment): Route {
  const secure = baseUrl.protocol === 'https:';
  const proxy = proxyFor(baseUrl, environment);
  const closing = new AbortController();
  let opening: Promise<OpenRoute> | undefined;
  let agent: Agent | undefined;

  async function load(): Promise<OpenRoute> {
    // Loaded on demand: commands that send nothing need no HTTP, and plain http needs no TLS.
    const { request } = secure ? await import('node:https') : await import('node:http');
    agent = await createAgent(secure, proxy, closing.signal);
    return { agent, request };
  }
  return {
    target: hostAndPort(baseUrl),
    secure,
    proxy: proxy === undefined ? undefined : maskUrl(proxy.url.href).replace(/\/$/, ''),
    proxyVariable: proxy?.variable,
    open: () => (opening ??= load()),
    close() {
      agent?.destroy();
      // Also ends connections to a proxy that has not responded yet, which the agent does not know.
      closing.abort('closed');
    },
  };
}

async function createAgent(
  secure: boolean,
  proxy: Proxy | undefined,
  signal: AbortSignal,
): Promise<Agent> {
  if (proxy !== undefined) return createProxyAgent(secure, proxy, signal);
  const options = { keepAlive: true, autoSelectFamilyAttemptTimeout: addressTimeout };
  if (secure) return connectBeforeContext(new (await import('node:https')).Agent(options));
  return new (await import('node:http')).Agent(options);
}

/** Node takes tens of milliseconds to create the first TLS context, so it does that while the socket connects. */
async function connectBeforeContext(agent: HttpsAgent): Promise<Agent> {
  const { connect } = await import('node:net');
  const secure = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = connect(options as TcpNetConnectOpts);
    return secure(Object.assign({ socket }, options), callback);
  };
  return agent;
}

async function createProxyAgent(
  secure: boolean,
  { url }: Proxy,
  signal: AbortSignal,
): Promise<Agent> {
  const options = { keepAlive: true, signal };
  if (secure) return new (await import('https-proxy-agent')).HttpsProxyAgent(url, options);
  return new (await import('http-proxy-agent')).HttpProxyAgent(url, options);
}
