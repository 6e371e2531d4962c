import { previousBoundary } from '../grapheme-boundary.ts';
import { isLineEnd, lineEnd } from './lines.ts';
import { objectRange, type Range } from './text-objects.ts';

function isWord(name: string): boolean {
  return name.endsWith('w') || name.endsWith('W');
}

/** The next words or paragraphs behind an offset, which may begin on the next line. */
function textAfter(text: string, to: number, name: string, count: number): Range | undefined {
  const at = isLineEnd(text, to) ? to + 1 : to;
  return at >= text.length ? undefined : objectRange(text, at, name, count);
}

/** The words before a selection whose caret is at its start. */
function wordsBefore(text: string, { from }: Range, name: string, count: number): number {
  const isBlankBefore = (at: number) => /\s/.test(text.charAt(at - 1));
  const runBefore = (at: number) => {
    const range = objectRange(text, previousBoundary(text, at), `i${name.slice(1)}`);
    return Math.min(range?.from ?? at, previousBoundary(text, at));
  };
  let start = from;
  for (let left = count; left > 0 && start > 0; left -= 1) {
    const isBlank = isBlankBefore(start);
    start = runBefore(start);
    const isOther = start > 0 && isBlankBefore(start) !== isBlank;
    if (name.startsWith('a') && isOther) start = runBefore(start);
  }
  return start;
}

/** A larger pair of brackets around a selection, or the object at the caret. */
function around(
  text: string,
  cursor: number,
  selected: Range,
  { name, count }: { readonly name: string; readonly count: number },
): Range | undefined {
  for (let outer = count; ; outer += 1) {
    const range = objectRange(text, cursor, name, outer);
    if (range === undefined || !/[()[\]{}<>bB]$/.test(name)) return range;
    const isAround = range.from <= selected.from && range.to >= selected.to;
    if (isAround && range.to - range.from > selected.to - selected.from) return range;
  }
}

/** A selection of `v` or `V` before an object. */
export interface SelectedText extends Range {
  /** The caret is at the start, so that words before it follow. */
  readonly isAtStart: boolean;
  readonly isSingle: boolean;
}

/** The selection after an object such as `iw`: that object, or more text if several characters are selected. */
export function withObject(
  text: string,
  selected: SelectedText,
  name: string,
  count: number,
): Range | undefined {
  const { from, to, isAtStart, isSingle, isLinewise } = selected;
  const cursor = isAtStart ? from : previousBoundary(text, to);
  if (isSingle) return objectRange(text, from, name, count);
  if (isWord(name)) {
    if (isAtStart) return { from: wordsBefore(text, selected, name, count), to, isLinewise: false };
    const words = textAfter(text, to, name, count);
    return words && { from, to: words.to, isLinewise: false };
  }
  if (!name.endsWith('p') || !isLinewise || isAtStart) {
    return around(text, cursor, selected, { name, count });
  }
  const paragraphs = textAfter(text, lineEnd(text, cursor), name, count);
  return paragraphs && { from, to: paragraphs.to, isLinewise: true };
}
