import type { Environment } from '../environment.ts';
import {
  createSecretFilter,
  minLengthInMessages,
  minLengthInText,
  type SecretFilter,
} from './secret-filter.ts';
import { secretsOf, type SecretSources } from './secret-parts.ts';
import { sanitizeLine } from '../terminal/safety/sanitizer.ts';

export type Secrets = ReturnType<typeof createSecrets>;

/** Starts with the secrets of the environment. */
export function createSecrets(environment: Environment) {
  let sources: readonly SecretSources[] = [{ environment }];
  // Created when they are first needed.
  const filters = new Map<number, SecretFilter | undefined>();
  return {
    /** The filter of those with `shortest` or more characters; a new one after each `keep`. */
    filter(shortest: number): SecretFilter | undefined {
      if (!filters.has(shortest)) {
        filters.set(shortest, createSecretFilter(sources.flatMap(secretsOf), shortest));
      }
      return filters.get(shortest);
    },
    keep(more: SecretSources): void {
      sources = [...sources, more];
      filters.clear();
    },
  };
}

/** Masks every known secret in a message of natter, encoded ones too. */
export function maskMessage(secrets: Secrets, text: string): string {
  return secrets.filter(minLengthInMessages)?.mask(text) ?? text;
}

/** Makes text from anywhere one line that is safe to show: sanitized, with secrets masked. */
export function cleanLine({ secrets }: { readonly secrets: Secrets }, text: string): string {
  return maskMessage(secrets, sanitizeLine(text));
}

/** Returns the filter of answers, conversations and recordings; undefined while no secret is known. */
export function textFilter(secrets: Secrets): SecretFilter | undefined {
  return secrets.filter(minLengthInText);
}

/** Masks every known secret in a text of an answer, a conversation or a recording. */
export function maskText(secrets: Secrets, text: string): string {
  return textFilter(secrets)?.mask(text) ?? text;
}
