import { sanitizeLine } from '../terminal/sanitizer.ts';
import { maskMessage } from './mask-secrets.ts';
import type { Context } from './context.ts';

/** A text from anywhere as one line that is safe to show: sanitized, secrets masked. */
export function cleanLine({ secrets }: Pick<Context, 'secrets'>, text: string): string {
  return maskMessage(secrets, sanitizeLine(text));
}
