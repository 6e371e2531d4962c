import type { Environment } from '../../environment.ts';
import type { SecretSources } from '../../secrecy/secret-parts.ts';

/** Where the secrets of a run are from; `mask-secrets.ts` masks them. */
export interface Secrets {
  /** The list is a new object after each `keep`. */
  sources(): readonly SecretSources[];
  /** Adds secrets to mask. */
  keep(sources: SecretSources): void;
}

/** Contains the secrets of the environment. */
export function createSecrets(environment: Environment): Secrets {
  let sources: readonly SecretSources[] = [{ environment }];
  return {
    sources: () => sources,
    keep: (more) => void (sources = [...sources, more]),
  };
}
