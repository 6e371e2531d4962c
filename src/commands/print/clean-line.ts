import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { maskMessage } from '../program/mask-secrets.ts';
import type { Context } from '../program/context.ts';

/** A text from anywhere as one line that is safe to show: sanitized, secrets masked. */
export function cleanLine({ secrets }: Pick<Context, 'secrets'>, text: string): string {
  return maskMessage(secrets, sanitizeLine(text));
}
