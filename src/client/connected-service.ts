import type { ClientOptions } from './client.ts';
import { exchange } from './http/exchange.ts';
import type { Service } from './service.ts';
import type { Transport } from './http/transport.ts';

/** A service, and how requests travel to it. */
export interface ConnectedService extends Service {
  readonly send: Transport;
}

/** Over the network, unless the client's options say otherwise. */
export function connectService(
  service: Service,
  transport: ClientOptions['transport'],
): ConnectedService {
  const { route, limits } = service;
  const network: Transport = (request, signal) => exchange(request, route, limits, signal);
  return { ...service, send: transport?.(network) ?? network };
}
