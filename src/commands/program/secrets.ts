import type { Environment } from '../../environment.ts';
import { createSecretFilter, type SecretFilter } from '../../secrets/secret-filter.ts';
import { secretsOf, type SecretSources } from '../../secrets/secret-parts.ts';

/** The secrets of a run; `mask-secrets.ts` masks them. */
export interface Secrets {
  /** The filter of those with `shortest` or more characters; a new one after each `keep`. */
  filter(shortest: number): SecretFilter | undefined;
  /** Adds secrets to mask. */
  keep(sources: SecretSources): void;
}

/** Contains the secrets of the environment. */
export function createSecrets(environment: Environment): Secrets {
  let sources: readonly SecretSources[] = [{ environment }];
  // Created when they are first needed.
  const filters = new Map<number, SecretFilter | undefined>();
  return {
    filter(shortest) {
      if (!filters.has(shortest)) {
        filters.set(shortest, createSecretFilter(sources.flatMap(secretsOf), shortest));
      }
      return filters.get(shortest);
    },
    keep(more) {
      sources = [...sources, more];
      filters.clear();
    },
  };
}
