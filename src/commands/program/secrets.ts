import type { Environment } from '../../environment.ts';
import type { SecretSources } from '../../secrecy/secret-parts.ts';

/** What the secrets of a run are known from; `mask-secrets.ts` masks them. */
export interface Secrets {
  /** A new list after each `keep`. */
  sources(): readonly SecretSources[];
  /** Has these masked, too, from now on. */
  keep(sources: SecretSources): void;
}

/** Knows the secrets of the environment from the start. */
export function createSecrets(environment: Environment): Secrets {
  let sources: readonly SecretSources[] = [{ environment }];
  return {
    sources: () => sources,
    keep: (more) => void (sources = [...sources, more]),
  };
}
