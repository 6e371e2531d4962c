import { type MaskedStream, replaceRanges } from '../secret-filter.ts';
import type { FoundSecret } from './find-secrets.ts';

const prefix = 'REDACTED_';

/** The end of a text that may be the start of a placeholder. */
const openEnd = /(?:REDACTED_[A-Z0-9_]{0,100}|R[ACDET]{0,7})$/;

function createRestoredStream(restore: (text: string) => string): MaskedStream {
  let held = '';
  return {
    write(text) {
      const whole = held + text;
      [held = ''] = openEnd.exec(whole) ?? [];
      return restore(whole.slice(0, whole.length - held.length));
    },
    end() {
      const rest = restore(held);
      held = '';
      return rest;
    },
  };
}

/**
 * Replaces the secrets of one run by placeholders, such as `REDACTED_GITHUB_TOKEN_7F3A2C`, and puts them back.
 * @param random as `Math.random`: placeholders of different runs differ, so that those of a continued conversation are
 * not mistaken for new ones
 * @param shown what replaces a placeholder in an answer: the secret, or `***` for natter's key
 */
export function createRedactions(
  random: () => number,
  shown: (secret: string) => string = (secret) => secret,
) {
  const placeholders = new Map<string, string>();
  const secrets = new Map<string, string>();
  function placeholderOf(secret: string, kind: string): string {
    const known = placeholders.get(secret);
    if (known !== undefined) return known;
    const name = kind.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
    // The size makes those of one run differ.
    const number = Math.floor(random() * 0x1_00_00_00) + secrets.size;
    const id = number.toString(16).toUpperCase().padStart(6, '0').slice(-6);
    const placeholder = `${prefix}${name}_${id}`;
    placeholders.set(secret, placeholder);
    secrets.set(placeholder, shown(secret));
    return placeholder;
  }
  const restore = (text: string) => {
    if (!text.includes(prefix)) return text;
    let restored = text;
    for (const [placeholder, secret] of secrets) {
      restored = restored.replaceAll(placeholder, () => secret);
    }
    return restored;
  };
  return {
    /** The same secret has the same placeholder in all texts. */
    redact: (text: string, found: readonly FoundSecret[]) =>
      replaceRanges(text, found, ({ start, end, kind }) =>
        placeholderOf(text.slice(start, end), kind),
      ),
    restore,
    /** Restores a text that arrives in pieces, also where a placeholder is cut. */
    createStream: () => createRestoredStream(restore),
  };
}
