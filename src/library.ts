// The exports of `natter/client`, the client for other programs (docs/client.md).
import packageJson from '../package.json' with { type: 'json' };
import type {
  CallOptions,
  Client as ServiceClient,
  ClientOptions as AllClientOptions,
} from './client/client.ts';
import { createClient as createClientWith } from './client/create-client.ts';
import { undiciNetwork } from './client/http/undici-network.ts';
import { systemClock } from './clock.ts';

export type { CallOptions, ReadOptions } from './client/client.ts';
export * from './client/collect-answer.ts';
export {
  catalogue,
  type CatalogueEntry,
  type CompletionRequest,
  type Message,
  type ModelRecord,
  type Role,
  type Usage,
} from './client/contract.ts';
// Types only, but `export type *` needs TypeScript 5.
export * from './client/events.ts';
export type { Clock } from './clock.ts';
export type { Environment } from './environment.ts';
export {
  Failure,
  type FailureKind,
  type FailureOptions,
  type Remedy,
  type RemedyCode,
} from './failure.ts';

declare global {
  // The symbols are declared for programs that compile without `esnext.disposable` and Node's types; every supported Node has them.
  interface SymbolConstructor {
    readonly dispose: unique symbol;
    readonly asyncDispose: unique symbol;
  }
  interface Disposable {
    [Symbol.dispose](): void;
  }
  interface AsyncDisposable {
    [Symbol.asyncDispose](): PromiseLike<void>;
  }
}

/** `using` and `await using` close it at the end of their block. */
export interface Client extends ServiceClient<CallOptions>, Disposable, AsyncDisposable {}

type ProcessOption = 'environment' | 'clock' | 'random' | 'userAgent';

/** Only `baseUrl` is required. `environment` sets the proxies; default: the environment of the process. */
export type ClientOptions = Omit<AllClientOptions, ProcessOption | 'transport' | 'network'> &
  Partial<Pick<AllClientOptions, ProcessOption>>;

/**
 * Sends nothing before its first call; keeps connections open between calls.
 * @throws Failure `configuration` for invalid options
 */
export function createClient(options: ClientOptions): Client {
  const client = createClientWith({
    ...options,
    network: undiciNetwork,
    environment: options.environment ?? process.env,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    userAgent: options.userAgent ?? `natter/${packageJson.version}`,
  });
  return {
    ...client,
    [Symbol.dispose]: () => client.close(),
    [Symbol.asyncDispose]: async () => client.close(),
  };
}
