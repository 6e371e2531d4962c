import { displayWidth, graphemes } from '../../../terminal/text/width.ts';
import { previousBoundary } from '../grapheme-boundary.ts';

// Lines end at line ends, not at a wrap. Offsets are UTF-16 units.

export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

/** The offset of the line end, or of the end of the text. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

export function isLineEnd(text: string, at: number): boolean {
  return at >= text.length || text.charAt(at) === '\n';
}

export function isEmptyLine(text: string, at: number): boolean {
  return isLineEnd(text, at) && lineStart(text, at) === at;
}

/** The last character of a line; its start if it is empty. */
function lastCharacter(text: string, at: number): number {
  const end = lineEnd(text, at);
  return end === lineStart(text, at) ? end : previousBoundary(text, end);
}

/** The same offset, or the last character for the end of a line, which no character is under. */
export function onCharacter(text: string, at: number): number {
  return Math.min(at, lastCharacter(text, Math.min(at, text.length)));
}

/** The end of the indentation. */
export function firstNonBlank(text: string, at: number): number {
  const blank = /[ \t]*/y;
  blank.lastIndex = lineStart(text, at);
  return blank.lastIndex + (blank.exec(text)?.[0].length ?? 0);
}

/** The start of the line `by` lines below, or above if negative; at most that of the last or first line. */
export function lineStartFrom(text: string, at: number, by: number): number {
  let start = lineStart(text, at);
  for (let left = Math.abs(by); left > 0; left -= 1) {
    const end = lineEnd(text, start);
    if (by < 0 ? start === 0 : end === text.length) break;
    start = by < 0 ? lineStart(text, start - 1) : end + 1;
  }
  return start;
}

/** The start of a line by its number, from 1; at most that of the last line. */
export function startOfLine(text: string, number: number): number {
  return lineStartFrom(text, 0, number - 1);
}

export function lineCount(text: string): number {
  return text.split('\n').length;
}

const shown = (text: string) => text.replaceAll('\t', '    ');

/** The number of columns before an offset. */
export function columnAt(text: string, at: number): number {
  return displayWidth(shown(text.slice(lineStart(text, at), at)));
}

/** The character at a column of a line; the last one if the line is shorter. */
export function offsetAtColumn(text: string, at: number, column: number): number {
  const end = lineEnd(text, at);
  let offset = lineStart(text, at);
  let used = 0;
  for (const character of graphemes(text.slice(offset, end))) {
    used += displayWidth(shown(character));
    if (used > column) return offset;
    offset += character.length;
  }
  return onCharacter(text, end);
}
