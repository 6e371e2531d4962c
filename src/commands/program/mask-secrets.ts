import {
  createSecretFilter,
  type SecretFilter,
  shortestInMessages,
  shortestInText,
} from '../../secrecy/secret-filter.ts';
import { secretsOf } from '../../secrecy/secret-parts.ts';
import type { Secrets } from './secrets.ts';

/** Makes a filter when it is first needed, as most runs report nothing, and anew when there are more secrets. */
function rememberFilter(shortest: number): (secrets: Secrets) => SecretFilter | undefined {
  const made = new WeakMap<object, { readonly filter: SecretFilter | undefined }>();
  return (secrets) => {
    const sources = secrets.sources();
    const known = made.get(sources) ?? {
      filter: createSecretFilter(sources.flatMap(secretsOf), shortest),
    };
    made.set(sources, known);
    return known.filter;
  };
}

const messageFilter = rememberFilter(shortestInMessages);

/** A message of natter's own with every secret kept so far masked, in whatever form it was written. */
export function maskMessage(secrets: Secrets, text: string): string {
  return messageFilter(secrets)?.mask(text) ?? text;
}

/** For texts that people ask for or keep: answers, conversations, recordings. Undefined while there is no secret. */
export const textFilter = rememberFilter(shortestInText);

/** A text that people ask for or keep with every secret kept so far masked. */
export function maskText(secrets: Secrets, text: string): string {
  return textFilter(secrets)?.mask(text) ?? text;
}
