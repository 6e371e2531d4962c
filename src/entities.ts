let decode: ((text: string) => string) | undefined;

/** A reference may begin here; at the end of a text, the rest may follow in the next. */
const reference = /&(?:[#a-zA-Z]|$)/;

/** Loads the table of names (23 kB) if the text may have a character reference; undefined if nothing is to load. */
export function loadEntities(text: string): Promise<void> | undefined {
  return decode === undefined && reference.test(text) ? load() : undefined;
}

async function load(): Promise<void> {
  try {
    // In this form, the bundle leaves out the rest of the package.
    const { decodeHTMLStrict } = await import('entities/decode');
    decode = decodeHTMLStrict;
  } catch {
    // Part of an installation that was just removed or replaced: the text is more important than its references.
    decode = (text) => text;
  }
}

/**
 * The text with HTML character references (`&amp;`, `&#8211;`) as characters. {@link loadEntities} must have been
 * awaited for this text; else its references stay as written.
 */
export function decodeEntities(text: string): string {
  return decode?.(text) ?? text;
}
