import { previousBoundary } from '../grapheme-boundary.ts';
import { firstNonBlank, isLineEnd, lineEnd, lineStart, runsOf, type Run } from './text.ts';
import type { Range } from './vi-state.ts';

/** `count` runs, some of which are blanks; undefined if the line has fewer. */
function innerWords(text: string, cursor: number, count: number, isBig: boolean) {
  const runs = runsOf(text, isBig);
  const index = indexOfRun(runs, cursor);
  const first = runs[index];
  const last = runs[index + count - 1];
  if (first === undefined || last === undefined) return undefined;
  if (last.from > lineEnd(text, first.from)) return undefined;
  return { from: first.from, to: Math.max(last.to, first.from), isLinewise: false };
}

/** The index of the run at an offset; for a line end, of the run before it. */
function indexOfRun(runs: readonly Run[], at: number): number {
  return runs.findLastIndex(({ from }) => from <= at);
}

/** `count` words with the blanks after them, or else before them. */
function aroundWords(
  text: string,
  cursor: number,
  count: number,
  isBig: boolean,
): Range | undefined {
  const runs = runsOf(text, isBig);
  const start = indexOfRun(runs, cursor);
  const isBlank = (run: Run | undefined) => run !== undefined && typeof run.kind !== 'number';
  let last = start;
  for (let left = isBlank(runs[start]) ? count : count - 1; left > 0; left -= 1) {
    do last += 1;
    while (runs[last]?.kind === 'blank');
  }
  const [before, first, end, after] = [runs[start - 1], runs[start], runs[last], runs[last + 1]];
  if (first === undefined || end === undefined || (end !== first && end.from === text.length)) {
    return undefined;
  }
  const { from } = first;
  if (isBlank(first)) return { from, to: end.to, isLinewise: false };
  if (after?.kind === 'blank' && after.from === end.to) {
    return { from, to: after.to, isLinewise: false };
  }
  const isApart =
    before?.kind === 'blank' && before.to === from && firstNonBlank(text, from) < from;
  return { from: isApart ? before.from : from, to: end.to, isLinewise: false };
}

function quotesOf(text: string, cursor: number, quote: string): number[] {
  const quotes: number[] = [];
  const end = lineEnd(text, cursor);
  for (let at = lineStart(text, cursor); at < end; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === quote) quotes.push(at);
  }
  return quotes;
}

/** The quoted text at the cursor, or after it in its line. */
function quoted(text: string, cursor: number, quote: string, isAround: boolean): Range | undefined {
  const quotes = quotesOf(text, cursor, quote);
  const index = quotes.findIndex((at) => at >= cursor);
  if (index === -1) return undefined;
  // On a quote, pairs are counted from the start of the line; between two, those are the pair.
  const isOnQuote = quotes[index] === cursor;
  const isClosing = isOnQuote ? index % 2 === 1 : index > 0;
  const first = isClosing ? index - 1 : index;
  const [open, close] = [quotes[first], quotes[first + 1]];
  if (open === undefined || close === undefined) return undefined;
  if (!isAround) return { from: open + 1, to: close, isLinewise: false };
  const blanks = /[ \t]*/y;
  blanks.lastIndex = close + 1;
  const after = blanks.exec(text)?.[0].length ?? 0;
  const before = /[ \t]*$/.exec(text.slice(lineStart(text, open), open))?.[0].length ?? 0;
  const from = after > 0 ? open : open - before;
  return { from, to: close + 1 + after, isLinewise: false };
}

const brackets: Readonly<Record<string, readonly [open: string, close: string]>> = {
  '(': ['(', ')'],
  ')': ['(', ')'],
  b: ['(', ')'],
  '[': ['[', ']'],
  ']': ['[', ']'],
  '{': ['{', '}'],
  '}': ['{', '}'],
  B: ['{', '}'],
  '<': ['<', '>'],
  '>': ['<', '>'],
};

/** The offset of the bracket that encloses an offset, in one direction. */
function enclosing(
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

/** The next opening bracket, where none encloses the cursor. */
function nextOpening(text: string, cursor: number, open: string, close: string) {
  const at = text.indexOf(open, cursor);
  const end = text.indexOf(close, cursor);
  return at === -1 || (end !== -1 && end < at) ? undefined : at;
}

function bracketed(
  text: string,
  cursor: number,
  count: number,
  [open, close]: readonly [string, string],
  isAround: boolean,
): Range | undefined {
  const isOnClose = text.charAt(cursor) === close;
  let start = enclosing(text, isOnClose ? cursor - 1 : cursor, -1, open, close);
  if (start === undefined && count === 1) start = nextOpening(text, cursor, open, close);
  for (let left = count; left > 1 && start !== undefined; left -= 1) {
    start = enclosing(text, start - 1, -1, open, close);
  }
  const end = start === undefined ? undefined : enclosing(text, start + 1, 1, close, open);
  if (start === undefined || end === undefined) return undefined;
  if (isAround) return { from: start, to: end + 1, isLinewise: false };
  const from = text.charAt(start + 1) === '\n' ? start + 2 : start + 1;
  const isAlone = firstNonBlank(text, end) === end && lineStart(text, end) > from;
  return { from, to: isAlone ? lineStart(text, end) : Math.max(from, end), isLinewise: false };
}

/** Whether a line has nothing but blanks. */
function isBlankLine(text: string, start: number): boolean {
  return isLineEnd(text, firstNonBlank(text, start));
}

/** The end of the run of lines that are blank, or not, as the first one is. */
function runOfLines(text: string, start: number): number {
  const isBlank = isBlankLine(text, start);
  let end = lineEnd(text, start);
  while (end < text.length && isBlankLine(text, end + 1) === isBlank) end = lineEnd(text, end + 1);
  return end;
}

function paragraphs(
  text: string,
  cursor: number,
  count: number,
  isAround: boolean,
): Range | undefined {
  let from = lineStart(text, cursor);
  const isBlank = isBlankLine(text, from);
  while (from > 0 && isBlankLine(text, lineStart(text, from - 1)) === isBlank) {
    from = lineStart(text, from - 1);
  }
  let to = runOfLines(text, from);
  for (let left = isAround ? count * 2 - 1 : count - 1; left > 0; left -= 1) {
    const isLast = to === text.length;
    if (isLast && isAround && left === 1 && !isBlank && from > 0) {
      while (from > 0 && isBlankLine(text, lineStart(text, from - 1))) {
        from = lineStart(text, from - 1);
      }
      break;
    }
    if (isLast)
      return isAround && left === 1 && !isBlank ? { from, to, isLinewise: true } : undefined;
    to = runOfLines(text, to + 1);
  }
  return { from, to, isLinewise: true };
}

/** The text of an object such as `iw` or `a(`; undefined if there is none. */
export function objectRange(
  text: string,
  cursor: number,
  name: string,
  count = 1,
): Range | undefined {
  const isAround = name.startsWith('a');
  const key = name.slice(1);
  if (key === 'w' || key === 'W') {
    return (isAround ? aroundWords : innerWords)(text, cursor, count, key === 'W');
  }
  if (key === 'p') return paragraphs(text, cursor, count, isAround);
  const pair = brackets[key];
  return pair === undefined
    ? quoted(text, cursor, key, isAround)
    : bracketed(text, cursor, count, pair, isAround);
}

/** The start of the words before a selection whose caret is at its start. */
function wordsBefore(text: string, from: number, name: string, count: number): number {
  const runs = runsOf(text, name.endsWith('W'));
  const isBlankBefore = (at: number) => /\s/.test(text.charAt(at - 1));
  const runBefore = (at: number) =>
    text.charAt(at - 1) === '\n' ? at - 1 : (runs.findLast((run) => run.from < at)?.from ?? 0);
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
  name: string,
  count: number,
): Range | undefined {
  for (let outer = count; ; outer += 1) {
    const range = objectRange(text, cursor, name, outer);
    if (range === undefined || !/[()[\]{}<>bB]$/.test(name)) return range;
    const isAround = range.from <= selected.from && range.to >= selected.to;
    if (isAround && range.to - range.from > selected.to - selected.from) return range;
  }
}

/**
 * The selection after an object such as `iw`: more text than the selection of several characters has.
 * @param isAtStart the caret is at the start of the selection, so that words before it follow
 */
export function extended(
  text: string,
  selected: Range,
  isAtStart: boolean,
  name: string,
  count: number,
): Range | undefined {
  const { from, to, isLinewise } = selected;
  const cursor = isAtStart ? from : previousBoundary(text, to);
  const isWord = /[wW]$/.test(name);
  if (isWord && isAtStart) {
    return { from: wordsBefore(text, from, name, count), to, isLinewise: false };
  }
  if (!isWord && (!name.endsWith('p') || !isLinewise || isAtStart)) {
    return around(text, cursor, selected, name, count);
  }
  // The next words or paragraphs may begin on the next line.
  const end = isWord ? to : lineEnd(text, cursor);
  const at = isLineEnd(text, end) ? end + 1 : end;
  const next = at >= text.length ? undefined : objectRange(text, at, name, count);
  return next && { from, to: next.to, isLinewise: !isWord };
}
