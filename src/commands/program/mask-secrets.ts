import {
  type SecretFilter,
  minLengthInMessages,
  minLengthInText,
} from '../../secrets/secret-filter.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import type { Secrets } from './secrets.ts';

/** A message of natter with every known secret masked, encoded ones too. */
export function maskMessage(secrets: Secrets, text: string): string {
  return secrets.filter(minLengthInMessages)?.mask(text) ?? text;
}

/** A text from anywhere as one line that is safe to show: sanitized, secrets masked. */
export function cleanLine({ secrets }: { readonly secrets: Secrets }, text: string): string {
  return maskMessage(secrets, sanitizeLine(text));
}

/** The filter of answers, conversations and recordings; undefined while no secret is known. */
export function textFilter(secrets: Secrets): SecretFilter | undefined {
  return secrets.filter(minLengthInText);
}

/** A text of an answer, conversation or recording with every known secret masked. */
export function maskText(secrets: Secrets, text: string): string {
  return textFilter(secrets)?.mask(text) ?? text;
}
