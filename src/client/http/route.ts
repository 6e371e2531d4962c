import type { Environment } from '../../environment.ts';
import { maskUrl } from '../../secrecy/mask.ts';
import { hostAndPort } from './base-url.ts';
import { proxyFor, type Proxy } from './proxy.ts';

/** Milliseconds for each address of a host that has several; Node's own 250 is too little for slow networks. */
export const addressTimeout = 1_000;

/** The way to one service: directly or through a proxy. */
export interface Route {
  /** `host:port` of the service, for messages. */
  readonly target: string;
  /** `https://host` or `https://host:port`. */
  readonly origin: string;
  readonly secure: boolean;
  /** With its password. */
  readonly forwardProxy: Proxy | undefined;
  /** URL of the proxy without its password, for messages. */
  readonly proxy: string | undefined;
}

/** @throws Failure `configuration` for an invalid proxy URL */
export function createRoute(baseUrl: URL, environment: Environment): Route {
  const forwardProxy = proxyFor(baseUrl, environment);
  return {
    target: hostAndPort(baseUrl),
    origin: baseUrl.origin,
    secure: baseUrl.protocol === 'https:',
    forwardProxy,
    proxy: forwardProxy && maskUrl(forwardProxy.url.href).replace(/\/$/, ''),
  };
}
