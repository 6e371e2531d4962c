import type { Client } from '../../client/client.ts';
import type { Failure } from '../../failure.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { Context } from '../program/context.ts';
import { asFailure, type AddFinding } from './finding.ts';
import type { ObservedNetwork, ObservedResponse } from './observed-network.ts';

/** What the checks of a service need. */
export interface Probe {
  readonly context: Context;
  readonly settings: ResolvedSettings;
  readonly client: Client;
  /** For a model that does not exist, which has no price, and no place in the ledger. */
  readonly unmeteredClient: Client;
  /** A client that sends a wrong key; undefined if there is no key. */
  readonly strangerClient: Client | undefined;
  readonly observed: ObservedNetwork;
  readonly add: AddFinding;
  /** Shows that a request is running. */
  readonly wait: <Value>(run: () => Promise<Value>) => Promise<Value>;
}

/** The outcome of one request: a value or a failure, and the response if there was one. */
export interface Attempt<Value> {
  readonly value?: Value;
  readonly failure?: Failure;
  readonly response: ObservedResponse | undefined;
  /** Milliseconds. */
  readonly time: number;
}

/** @throws the reason of an abort */
export async function attempt<Value>(
  { context, observed, wait }: Probe,
  run: () => Promise<Value>,
): Promise<Attempt<Value>> {
  const start = context.clock.monotonic();
  const ending = () => ({
    response: observed.last(),
    time: context.clock.monotonic() - start,
  });
  try {
    const value = await wait(run);
    return { value, ...ending() };
  } catch (error) {
    context.signal.throwIfAborted();
    return { failure: asFailure(error), ...ending() };
  }
}

/** Milliseconds. */
const longest = {
  connectTimeout: 5_000,
  firstByteTimeout: 30_000,
  idleTimeout: 15_000,
  timeout: 60_000,
} as const;

/** No retries, and limits short enough for a check; a flag of the command line overrides them. */
export function withShortLimits(settings: ResolvedSettings): ResolvedSettings {
  const { values, sources } = settings;
  const capped = (name: keyof typeof longest) => {
    const value = values[name];
    if (sources[name].kind === 'flag') return value;
    return value === 0 ? longest[name] : Math.min(value, longest[name]);
  };
  return {
    ...settings,
    values: {
      ...values,
      retries: sources.retries.kind === 'flag' ? values.retries : 0,
      connectTimeout: capped('connectTimeout'),
      firstByteTimeout: capped('firstByteTimeout'),
      idleTimeout: capped('idleTimeout'),
      timeout: capped('timeout'),
    },
  };
}
