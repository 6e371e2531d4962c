import type { Agent, request as httpRequest } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { TcpNetConnectOpts } from 'node:net';
import type { Proxy } from '../proxy.ts';
import { addressTimeout, type Route } from '../route.ts';

/** The connections of one client, kept open between requests. */
export interface NodeConnections {
  readonly route: Route;
  /** Loads the modules that the route needs, on the first call. */
  readonly open: () => Promise<OpenedAgent>;
  close(): void;
}

export interface OpenedAgent {
  readonly agent: Agent;
  readonly request: typeof httpRequest;
}

export function openNodeConnections(route: Route): NodeConnections {
  const { secure, forwardProxy } = route;
  // Only for a proxy: an abort compiles Node's code for events, which nothing else of a prompt needs.
  const closing = forwardProxy === undefined ? undefined : new AbortController();
  let opening: Promise<OpenedAgent> | undefined;
  let agent: Agent | undefined;

  async function load(): Promise<OpenedAgent> {
    // Loaded on demand: commands that send nothing need no HTTP, and plain http needs no TLS.
    const { request } = secure ? await import('node:https') : await import('node:http');
    agent = await createAgent(secure, forwardProxy, closing?.signal);
    return { agent, request };
  }
  return {
    route,
    open: () => (opening ??= load()),
    close() {
      agent?.destroy();
      // Also ends connections to a proxy that has not responded yet, which the agent does not know.
      closing?.abort('closed');
    },
  };
}

async function createAgent(
  secure: boolean,
  proxy: Proxy | undefined,
  signal: AbortSignal | undefined,
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

const loadHttpsAgent = () => import('https-proxy-agent');
const loadHttpAgent = () => import('http-proxy-agent');

/** Loads in advance what only connections through a proxy need. */
export async function loadProxyAgents(): Promise<void> {
  await Promise.all([loadHttpsAgent(), loadHttpAgent()]);
}

async function createProxyAgent(
  secure: boolean,
  { url }: Proxy,
  signal: AbortSignal | undefined,
): Promise<Agent> {
  const options = { keepAlive: true, signal };
  if (secure) return new (await loadHttpsAgent()).HttpsProxyAgent(url, options);
  return new (await loadHttpAgent()).HttpProxyAgent(url, options);
}
