import type { MaskedStream } from '../secret-filter.ts';
import type { FoundSecret } from './find-secrets.ts';

/** Replaces secrets by placeholders, such as `REDACTED_GITHUB_TOKEN_7F3A2C`, and puts them back. */
export interface Redactions {
  /** The same secret has the same placeholder in all texts. */
  readonly redact: (text: string, found: readonly FoundSecret[]) => string;
  /** The text with the secrets. */
  readonly restore: (text: string) => string;
  /** Restores a text that arrives in pieces, also where a placeholder is cut. */
  readonly createStream: () => MaskedStream;
}

const prefix = 'REDACTED_';

/**
 * Finds the index from which the rest of the text may be the start of a placeholder; the text's length if there is
 * none.
 */
function openStart(text: string, placeholders: readonly string[]): number {
  if (placeholders.length === 0) return text.length;
  const longest = Math.max(...placeholders.map(({ length }) => length));
  const first = Math.max(0, text.length - longest + 1);
  let index = text.indexOf(prefix.charAt(0), first);
  while (index !== -1) {
    const tail = text.slice(index);
    if (placeholders.some((placeholder) => placeholder.startsWith(tail))) return index;
    index = text.indexOf(prefix.charAt(0), index + 1);
  }
  return text.length;
}

function replaceRanges(
  text: string,
  ranges: readonly FoundSecret[],
  replacement: (secret: string, kind: string) => string,
): string {
  let replaced = '';
  let from = 0;
  for (const { start, end, kind } of ranges) {
    replaced += text.slice(from, start) + replacement(text.slice(start, end), kind);
    from = end;
  }
  return replaced + text.slice(from);
}

function createRestoredStream(
  placeholders: () => readonly string[],
  restore: (text: string) => string,
): MaskedStream {
  let held = '';
  const release = (whole: string) => restore(whole.slice(0, whole.length - held.length));
  return {
    write(text) {
      const whole = held + text;
      held = whole.slice(openStart(whole, placeholders()));
      return release(whole);
    },
    end() {
      const whole = held;
      held = '';
      return release(whole);
    },
  };
}

/**
 * Makes the redactions of one run.
 * @param random as `Math.random`: placeholders of different runs differ, so that those of a continued conversation are
 * not mistaken for new ones
 * @param shown what replaces a placeholder in an answer: the secret, or `***` for natter's key
 */
export function createRedactions(
  random: () => number,
  shown: (secret: string) => string = (secret) => secret,
): Redactions {
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
    redact: (text, found) => replaceRanges(text, found, placeholderOf),
    restore,
    createStream: () => createRestoredStream(() => [...secrets.keys()], restore),
  };
}
