import fastStringWidth from 'fast-string-width';

const printableAscii = /^[\x20-\x7e]*$/;
let segmenter: Intl.Segmenter | undefined;

/** Columns of a text on a terminal; escape sequences have none. */
export function displayWidth(text: string): number {
  return printableAscii.test(text) ? text.length : fastStringWidth(text);
}

const wide = /[\u2e80-\u3098\u309b-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]/;

/** Whether the character belongs to a script without spaces, so that a row may end beside it. */
export const isWide = (character: string): boolean => character >= '\u2e80' && wide.test(character);

/** The time of Intl.Segmenter is quadratic in the length of its text (Node 20), so it gets a part at a time. */
const WINDOW = 256;

/** The characters as a reader sees them (UAX 29), in order. */
export function* graphemes(text: string): Generator<string, void> {
  if (printableAscii.test(text)) return yield* text;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  let size = WINDOW;
  for (let start = 0; start < text.length;) {
    const part = text.slice(start, start + size);
    const found = Array.from(segmenter.segment(part), ({ segment }) => segment);
    // The last one may continue after the window.
    const last = start + size < text.length ? (found.pop() ?? '') : '';
    yield* found;
    size = found.length === 0 ? size * 2 : WINDOW;
    start += part.length - last.length;
  }
}

/** The longest start that fits the width, in whole characters, and the rest. Text without escape sequences. */
export function splitAtWidth(text: string, width: number): [fits: string, rest: string] {
  let used = 0;
  let end = 0;
  for (const character of graphemes(text)) {
    used += displayWidth(character);
    if (used > width) break;
    end += character.length;
  }
  return [text.slice(0, end), text.slice(end)];
}

/** The text, or its beginning and an ellipsis if it is too wide. Text without escape sequences. */
export function truncateToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return width < 1 ? '' : `${splitAtWidth(text, width - 1)[0]}…`;
}

type Alignment = 'left' | 'right' | 'center';

/** Pads the text with spaces; a wider text is returned unchanged. */
export function padToWidth(text: string, width: number, align: Alignment = 'left'): string {
  const space = Math.max(0, width - displayWidth(text));
  const before = { left: 0, right: space, center: Math.floor(space / 2) }[align];
  return ' '.repeat(before) + text + ' '.repeat(space - before);
}
