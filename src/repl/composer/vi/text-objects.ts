import { lineEnd, lineStart } from '../grapheme-boundary.ts';
import { enclosing, firstNonBlank, isBlank, isLineEnd, runsOf, type Run } from './text.ts';
import type { Range } from './vi-state.ts';

/** The index of the run at an offset; for a line end, of the run before it. */
function indexOfRun(runs: readonly Run[], at: number): number {
  return runs.findLastIndex(({ from }) => from <= at);
}

function innerWord(text: string, cursor: number, isBig: boolean): Range | undefined {
  const runs = runsOf(text, isBig);
  const run = runs[indexOfRun(runs, cursor)];
  return run && { from: run.from, to: run.to, isLinewise: false };
}

/** A word with the blanks after it, or else before it; on blanks or an empty line, with the word after them. */
function aroundWord(text: string, cursor: number, isBig: boolean): Range | undefined {
  const runs = runsOf(text, isBig);
  const index = indexOfRun(runs, cursor);
  const [before, first, after] = [runs[index - 1], runs[index], runs[index + 1]];
  if (first === undefined) return undefined;
  const { from, to } = first;
  if (isBlank(first) || from === to) {
    const next = runs.slice(index + 1).find((run) => !isBlank(run));
    if (next === undefined || next.from === text.length) return undefined;
    return { from, to: next.to, isLinewise: false };
  }
  if (isBlank(after) && after?.from === to) return { from, to: after.to, isLinewise: false };
  const isApart = isBlank(before) && before?.to === from && firstNonBlank(text, from) < from;
  return { from: isApart ? before.from : from, to, isLinewise: false };
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

/** Opening and closing brackets, and their letters. */
const brackets = ['()b', '[]', '{}B', '<>'];

function bracketed(
  text: string,
  cursor: number,
  open: string,
  close: string,
  isAround: boolean,
): Range | undefined {
  const isOnClose = text.charAt(cursor) === close;
  let start = enclosing(text, isOnClose ? cursor - 1 : cursor, -1, open, close);
  if (start === undefined) {
    // None encloses the cursor: the next pair.
    const next = text.indexOf(open, cursor);
    const nextClose = text.indexOf(close, cursor);
    if (next !== -1 && (nextClose === -1 || nextClose > next)) start = next;
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

/** The first line of the run of lines that are blank, or not, as this one is. */
function runStart(text: string, start: number): number {
  const isSame = isBlankLine(text, start);
  let from = start;
  while (from > 0 && isBlankLine(text, lineStart(text, from - 1)) === isSame) {
    from = lineStart(text, from - 1);
  }
  return from;
}

function runEnd(text: string, start: number): number {
  const isSame = isBlankLine(text, start);
  let end = lineEnd(text, start);
  while (end < text.length && isBlankLine(text, end + 1) === isSame) end = lineEnd(text, end + 1);
  return end;
}

/** A paragraph with the blank lines after it, or else before it. */
function paragraph(text: string, cursor: number, isAround: boolean): Range | undefined {
  const from = runStart(text, lineStart(text, cursor));
  const to = runEnd(text, from);
  if (!isAround) return { from, to, isLinewise: true };
  if (to < text.length) return { from, to: runEnd(text, to + 1), isLinewise: true };
  if (isBlankLine(text, from)) return undefined;
  const before = from === 0 ? from : runStart(text, lineStart(text, from - 1));
  return { from: before, to, isLinewise: true };
}

/** The text of an object such as `iw` or `a(`; undefined if there is none. */
export function objectRange(text: string, cursor: number, name: string): Range | undefined {
  const isAround = name.startsWith('a');
  const key = name.slice(1);
  if (key === 'w' || key === 'W') {
    return (isAround ? aroundWord : innerWord)(text, cursor, key === 'W');
  }
  if (key === 'p') return paragraph(text, cursor, isAround);
  const pair = brackets.find((keys) => keys.includes(key));
  return pair === undefined
    ? quoted(text, cursor, key, isAround)
    : bracketed(text, cursor, pair.charAt(0), pair.charAt(1), isAround);
}
