import { graphemes } from '../../../terminal/text/width.ts';
import { nextBoundary, previousBoundary } from '../grapheme-boundary.ts';
import { isEmptyLine, lineEnd, lineStart, onCharacter } from './lines.ts';
import type { CharacterSearch } from './vi-state.ts';

/** Offsets of a character in its line, left to right. */
function offsetsOf(text: string, at: number, character: string): number[] {
  const start = lineStart(text, at);
  const offsets: number[] = [];
  let offset = start;
  for (const each of graphemes(text.slice(start, lineEnd(text, at)))) {
    if (each === character) offsets.push(offset);
    offset += each.length;
  }
  return offsets;
}

/** The offset for `f`, `t` and their like; undefined if there is no such character. */
export function findCharacter(
  text: string,
  cursor: number,
  { character, isForward, isTill }: CharacterSearch,
  count: number,
  isRepeated: boolean,
): number | undefined {
  const all = offsetsOf(text, cursor, character);
  const ahead = isForward
    ? all.filter((offset) => offset > cursor)
    : all.filter((offset) => offset < cursor).toReversed();
  const beside = (offset: number) =>
    isForward ? previousBoundary(text, offset) : nextBoundary(text, offset);
  // A repeated search does not stay beside the character that it has found.
  const isStuck = isRepeated && isTill && count === 1 && ahead[0] !== undefined;
  const skipped = isStuck && beside(ahead[0] ?? 0) === cursor ? 1 : 0;
  const found = ahead[count - 1 + skipped];
  if (found === undefined) return undefined;
  return isTill ? beside(found) : found;
}

const closing: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);
const opening: ReadonlyMap<string, string> = new Map(
  Array.from(closing, ([open, close]) => [close, open]),
);

/** The bracket that pairs with the one at an offset. */
function pairOf(text: string, at: number): number | undefined {
  const bracket = text.charAt(at);
  const isOpen = closing.has(bracket);
  const other = closing.get(bracket) ?? opening.get(bracket);
  const by = isOpen ? 1 : -1;
  let depth = 0;
  for (let index = at; index >= 0 && index < text.length; index += by) {
    if (text.charAt(index) === bracket) depth += 1;
    if (text.charAt(index) === other) depth -= 1;
    if (depth === 0) return index;
  }
  return undefined;
}

/** The pair of the first bracket at or after the cursor in its line. */
export function matchingBracket(text: string, cursor: number): number | undefined {
  const end = lineEnd(text, cursor);
  for (let at = cursor; at < end; at += 1) {
    if (/[()[\]{}]/.test(text.charAt(at))) return pairOf(text, at);
  }
  return undefined;
}

/** The `count`th empty line ahead, after other lines; the last one may be the end or start of the text. */
export function paragraphEdge(
  text: string,
  cursor: number,
  by: 1 | -1,
  count: number,
): number | undefined {
  let at = lineStart(text, cursor);
  for (let left = count; left > 0; left -= 1) {
    let isInside = !isEmptyLine(text, at);
    for (;;) {
      const end = lineEnd(text, at);
      if (by === 1 ? end === text.length : at === 0) {
        if (left > 1) return undefined;
        return by === 1 ? onCharacter(text, end) : 0;
      }
      at = by === 1 ? end + 1 : lineStart(text, at - 1);
      if (isInside && isEmptyLine(text, at)) break;
      isInside ||= !isEmptyLine(text, at);
    }
  }
  return at;
}
