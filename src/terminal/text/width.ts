import fastStringWidth from 'fast-string-width';

const printableAscii = /^[\x20-\x7e]*$/;
let segmenter: Intl.Segmenter | undefined;

/**
 * First and last code unit of characters, in order, whose width does not depend on their neighbours, and their columns.
 * In between are marks, joiners, surrogates, and characters that may be emoji.
 */
const certainRanges: readonly (readonly [first: number, last: number, columns: 1 | 2])[] = [
  [0x20, 0x7e, 1],
  [0xa0, 0x2ff, 1],
  [0x370, 0x482, 1],
  [0x2010, 0x2027, 1],
  [0x2500, 0x259f, 1],
  [0x2800, 0x28ff, 1],
  [0x3001, 0x3029, 2],
  [0x3041, 0x3096, 2],
  [0x30a1, 0x30fa, 2],
  [0x4e00, 0x9fff, 2],
  [0xac00, 0xd7a3, 2],
];

/** By code unit: columns, or 0 if they are not certain. */
let certainColumns: Uint8Array | undefined;

function createCertainColumns(): Uint8Array {
  const columns = new Uint8Array(0x10000);
  for (const [first, last, width] of certainRanges) columns.fill(width, first, last + 1);
  return columns;
}

const ESC = 0x1b;
const colorSequence = /\u001B\[[\d;]*m/y;

/** The end of the colour sequence at a position; -1 if there is none. */
function endOfColor(text: string, at: number): number {
  colorSequence.lastIndex = at;
  return colorSequence.test(text) ? colorSequence.lastIndex : -1;
}

/** Columns of a text of usual characters and colours; -1 if it has others. */
function certainWidth(text: string): number {
  const columns = (certainColumns ??= createCertainColumns());
  let width = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    const own = columns[code] ?? 0;
    const end = own === 0 && code === ESC ? endOfColor(text, at) : at + Math.sign(own);
    if (end <= at) return -1;
    width += own;
    at = end;
  }
  return width;
}

/** Columns of a text on a terminal; escape sequences have none. */
export function displayWidth(text: string): number {
  if (printableAscii.test(text)) return text.length;
  const width = certainWidth(text);
  return width === -1 ? fastStringWidth(text) : width;
}

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
  if (printableAscii.test(text))
    return [text.slice(0, Math.max(0, width)), text.slice(Math.max(0, width))];
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
export function truncateToWidth(text: string, width: number, ellipsis = '…'): string {
  if (displayWidth(text) <= width) return text;
  const room = width - displayWidth(ellipsis);
  return room < 0 ? splitAtWidth(text, width)[0] : splitAtWidth(text, room)[0] + ellipsis;
}

export type Alignment = 'left' | 'right' | 'center';

/** Pads the text with spaces; a wider text is returned unchanged. `columns`: its width, if that is known. */
export function padToWidth(
  text: string,
  width: number,
  align: Alignment = 'left',
  columns = displayWidth(text),
): string {
  const space = Math.max(0, width - columns);
  if (align === 'left') return text + ' '.repeat(space);
  if (align === 'right') return ' '.repeat(space) + text;
  const before = Math.floor(space / 2);
  return ' '.repeat(before) + text + ' '.repeat(space - before);
}
