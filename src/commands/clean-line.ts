import { sanitizeLine } from '../terminal/sanitizer.ts';
import type { Context } from './context.ts';

/** A text from anywhere as one line that is safe to show: sanitized, secrets masked. */
export function cleanLine({ secrets }: Pick<Context, 'secrets'>, text: string): string {
  return secrets.mask(sanitizeLine(text));
}
