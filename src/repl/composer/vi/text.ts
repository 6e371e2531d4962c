// The lines and words of a text. A line ends at a line end, not at a wrap; offsets are UTF-16 units.
import { graphemes } from '../../../terminal/text/width.ts';
import { lineEnd, lineStart, previousBoundary } from '../grapheme-boundary.ts';

export function isLineEnd(text: string, at: number): boolean {
  return at >= text.length || text.charAt(at) === '\n';
}

export function isEmptyLine(text: string, at: number): boolean {
  return isLineEnd(text, at) && lineStart(text, at) === at;
}

/** The same offset, or the last character for the end of a line, which no character is under. */
export function onCharacter(text: string, at: number): number {
  const end = lineEnd(text, Math.min(at, text.length));
  const last = end === lineStart(text, end) ? end : previousBoundary(text, end);
  return Math.min(at, last);
}

/** The end of the indentation. */
export function firstNonBlank(text: string, at: number): number {
  const blank = /[ \t]*/y;
  blank.lastIndex = lineStart(text, at);
  return blank.lastIndex + (blank.exec(text)?.[0].length ?? 0);
}

/** The start of the line `by` lines below, or above if negative; it stops at the last or first line. */
export function lineStartFrom(text: string, at: number, by: number): number {
  let start = lineStart(text, at);
  for (let left = Math.abs(by); left > 0; left -= 1) {
    const end = lineEnd(text, start);
    if (by < 0 ? start === 0 : end === text.length) break;
    start = by < 0 ? lineStart(text, start - 1) : end + 1;
  }
  return start;
}

const blank = 1;
/** As in vi, a word consists of characters of one script, of letters, digits and underscores, or of others. */
const kinds =
  /^(?:(\s)|(\p{Script=Han})|(\p{Script=Hiragana})|(\p{Script=Katakana})|(\p{Script=Hangul})|(\p{Extended_Pictographic})|([\p{Letter}\p{Number}\p{Mark}_]))/u;

/** Runs of characters of one kind in a line. An empty line is a run, too, and not blank. */
export function runsOf(text: string, isBig: boolean) {
  const runs: { readonly from: number; to: number; readonly isBlank: boolean }[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    let lastKind: number | undefined;
    if (line === '') runs.push({ from: at, to: at, isBlank: false });
    for (const character of graphemes(line)) {
      const own = kinds.exec(character)?.findLastIndex((group) => group !== undefined) ?? 0;
      const kind = isBig && own !== blank ? 0 : own;
      const last = runs.at(-1);
      if (last !== undefined && kind === lastKind) last.to += character.length;
      else runs.push({ from: at, to: at + character.length, isBlank: kind === blank });
      lastKind = kind;
      at += character.length;
    }
    at += 1;
  }
  return runs;
}

/** The offset of the bracket that encloses an offset, in one direction. */
export function enclosing(
  text: string,
  from: number,
  by: 1 | -1,
  wanted: string,
  other: string,
): number | undefined {
  let depth = 0;
  for (let at = from; at >= 0 && at < text.length; at += by) {
    if (text.charAt(at) === wanted && depth === 0) return at;
    if (text.charAt(at) === wanted) depth -= 1;
    if (text.charAt(at) === other) depth += 1;
  }
  return undefined;
}
