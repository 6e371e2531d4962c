let decode: ((text: string) => string) | undefined;

/** The start of a reference; at the end of a text, the rest may be in the next text. */
const reference = /&(?:[#a-zA-Z]|$)/;

/** Loads the table of names (21 kB) if the text may contain a character reference; undefined if it is not needed. */
export function loadEntities(text: string): Promise<void> | undefined {
  return decode === undefined && text.includes('&') && reference.test(text) ? load() : undefined;
}

async function load(): Promise<void> {
  try {
    const { decodeHTMLStrict } = await import('./entity-names.ts');
    decode = decodeHTMLStrict;
  } catch {
    // The installation was just removed or replaced: the text is more important than its references.
    decode = (text) => text;
  }
}

/**
 * Decodes HTML character references (`&amp;`, `&#8211;`). Await {@link loadEntities} for the text before; else its
 * references stay as they are.
 */
export function decodeEntities(text: string): string {
  return decode?.(text) ?? text;
}
