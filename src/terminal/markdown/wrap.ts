import { displayWidth, graphemes, splitAtWidth } from '../text/width.ts';
import type { Span } from './span.ts';

const noSpace = /^\S+$/;
const innerSpaces = /^\S(?:[\S ]*\S)?$/;

/**
 * Spans laid out in lines of at most the width, broken at spaces and, where a word is too long, between
 * characters; a character wider than the width gets a line of its own. Spaces at a break are dropped.
 */
export function wrapSpans(spans: readonly Span[], width: number): Span[][] {
  if (isOneLine(spans, width)) return [[...spans]];
  const lines: Span[][] = [[]];
  let used = 0;
  let space: Span | undefined;
  const breakLine = () => {
    lines.push([]);
    used = 0;
    space = undefined;
  };
  for (const piece of pieces(spans)) {
    if (piece.text === '\n') breakLine();
    else if (piece.text.trim() === '') space = used > 0 ? piece : undefined;
    else {
      const gap = space ? displayWidth(space.text) : 0;
      const size = displayWidth(piece.text);
      if (used > 0 && used + gap + size > width && (gap > 0 || size <= width)) breakLine();
      if (space) {
        lines.at(-1)?.push(space);
        used += gap;
        space = undefined;
      }
      used = addWord(lines, piece, used, width);
    }
  }
  return lines;
}

/** Most cells of a table: words that fit as they stand, and need not be looked at one by one. */
function isOneLine(spans: readonly Span[], width: number): boolean {
  let used = 0;
  for (const { text, looks, link } of spans) {
    const isPlain = looks.length === 0 && link === undefined;
    if (!(isPlain ? innerSpaces : noSpace).test(text)) return false;
    used += displayWidth(text);
  }
  return used <= width;
}

/** Adds a word, cut where a line is full; returns the columns used of the last line. */
function addWord(lines: Span[][], piece: Span, start: number, width: number): number {
  let rest = piece.text;
  let used = start;
  while (rest !== '') {
    let [fits, left] = splitAtWidth(rest, width - used);
    if (fits === '' && used === 0) {
      fits = graphemes(rest).next().value ?? rest;
      left = rest.slice(fits.length);
    }
    if (fits !== '') lines.at(-1)?.push({ ...piece, text: fits });
    used += displayWidth(fits);
    rest = left;
    if (rest !== '') {
      lines.push([]);
      used = 0;
    }
  }
  return used;
}

/** Words, spaces and line ends, each of one look. */
function* pieces(spans: readonly Span[]): Generator<Span> {
  for (const span of spans) {
    for (const text of span.text.match(/\n|[ \t]+|[^ \t\n]+/g) ?? []) {
      yield { ...span, text: text.includes('\t') ? ' ' : text };
    }
  }
}
