import type { Agent, request as httpRequest } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { TcpNetConnectOpts } from 'node:net';
import type { Environment } from '../../environment.ts';
import { maskUrl } from '../../secrecy/mask.ts';
import { hostAndPort } from './base-url.ts';
import { proxyFor, type Proxy } from './proxy.ts';

/** Milliseconds for each address of a host that has several; Node's own 250 is too little for slow networks. */
const addressTimeout = 1_000;

/** The way to one service: its own connections, kept open between requests, and the proxy in between. */
export interface Route {
  /** `host:port` of the service, for messages. */
  readonly target: string;
  readonly secure: boolean;
  /** The proxy in between, without its password, for messages. */
  readonly proxy: string | undefined;
  /** The variable that named it. */
  readonly proxyVariable: string | undefined;
  /** Loads what the route needs; the first call pays for it. */
  open(): Promise<OpenRoute>;
  /** Closes every connection. */
  close(): void;
}

export interface OpenRoute {
  readonly agent: Agent;
  readonly request: typeof httpRequest;
}

/** @throws Failure `configuration` for a bad proxy URL */
export function createRoute(baseUrl: URL, environment: Environment): Route {
  const secure = baseUrl.protocol === 'https:';
  const proxy = proxyFor(baseUrl, environment);
  const closing = new AbortController();
  let opening: Promise<OpenRoute> | undefined;
  let agent: Agent | undefined;

  async function load(): Promise<OpenRoute> {
    // Loaded on demand: commands that send nothing must not pay for it, nor plain http for TLS.
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
      // Reaches connections to a proxy that has not answered yet; the agent does not know them.
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

/**
 * The first TLS context takes Node tens of milliseconds: it is made while the connection is being opened, not
 * before.
 */
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
