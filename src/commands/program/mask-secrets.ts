import {
  createSecretFilter,
  type SecretFilter,
  minLengthInMessages,
  minLengthInText,
} from '../../secrecy/secret-filter.ts';
import { secretsOf } from '../../secrecy/secret-parts.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import type { Secrets } from './secrets.ts';

/** Creates the filter when it is first needed, and again after secrets were added. */
function cachedFilter(shortest: number): (secrets: Secrets) => SecretFilter | undefined {
  const cache = new WeakMap<object, { readonly filter: SecretFilter | undefined }>();
  return (secrets) => {
    const sources = secrets.sources();
    const known = cache.get(sources) ?? {
      filter: createSecretFilter(sources.flatMap(secretsOf), shortest),
    };
    cache.set(sources, known);
    return known.filter;
  };
}

const messageFilter = cachedFilter(minLengthInMessages);

/** A message of natter with every known secret masked, encoded ones too. */
export function maskMessage(secrets: Secrets, text: string): string {
  return messageFilter(secrets)?.mask(text) ?? text;
}

/** A text from anywhere as one line that is safe to show: sanitized, secrets masked. */
export function cleanLine({ secrets }: { readonly secrets: Secrets }, text: string): string {
  return maskMessage(secrets, sanitizeLine(text));
}

/** The filter of answers, conversations and recordings; undefined while no secret is known. */
export const textFilter = cachedFilter(minLengthInText);

/** A text of an answer, conversation or recording with every known secret masked. */
export function maskText(secrets: Secrets, text: string): string {
  return textFilter(secrets)?.mask(text) ?? text;
}
