import { nextBoundary, previousBoundary } from '../grapheme-boundary.ts';
import { firstNonBlank, isEmptyLine, isLineEnd, lineEnd, lineStart } from './lines.ts';
import { kindAt } from './words.ts';

export interface Range {
  readonly from: number;
  readonly to: number;
  /** `from` is the start of a line, `to` the end of one, without its line end. */
  readonly isLinewise: boolean;
}

interface Run {
  readonly from: number;
  readonly to: number;
  readonly isBlank: boolean;
}

/** The run of characters of one kind at an offset, within its line. */
function runAt(text: string, at: number, isBig: boolean): Run {
  const kind = kindAt(text, at, isBig);
  const isSame = (offset: number) =>
    !isLineEnd(text, offset) && kindAt(text, offset, isBig) === kind;
  const start = lineStart(text, at);
  let from = at;
  while (from > start && isSame(previousBoundary(text, from))) {
    from = previousBoundary(text, from);
  }
  let to = at;
  while (isSame(to)) to = nextBoundary(text, to);
  return { from, to, isBlank: kind === 0 };
}

/** The end of the next word, also on a later line, or an empty line on the way; undefined at the end of the text. */
function nextWordEnd(text: string, from: number, isBig: boolean): number | undefined {
  let at = from;
  while (kindAt(text, at, isBig) === 0) {
    if (at >= text.length) return undefined;
    at = text.charAt(at) === '\n' ? at + 1 : nextBoundary(text, at);
    if (isEmptyLine(text, at) && at < text.length) return at;
  }
  return runAt(text, at, isBig).to;
}

/** The start of the blanks before a word, unless they are the indentation. */
function blanksBefore(text: string, from: number, isBig: boolean): number {
  const isIndented = firstNonBlank(text, from) === from;
  const before = previousBoundary(text, from);
  return isIndented || kindAt(text, before, isBig) !== 0 ? from : runAt(text, before, isBig).from;
}

/** `count` runs, some of which are blanks; undefined if the line has fewer. */
function innerWords(
  text: string,
  cursor: number,
  count: number,
  isBig: boolean,
): Range | undefined {
  const { from, to: first } = runAt(text, cursor, isBig);
  let to = first;
  for (let left = count; left > 1; left -= 1) {
    if (isLineEnd(text, to)) return undefined;
    ({ to } = runAt(text, to, isBig));
  }
  return { from, to, isLinewise: false };
}

/** `count` words with the blanks after them, or else before them. */
function aroundWords(
  text: string,
  cursor: number,
  count: number,
  isBig: boolean,
): Range | undefined {
  const { from, to: first, isBlank } = runAt(text, cursor, isBig);
  let to: number | undefined = isBlank ? nextWordEnd(text, first, isBig) : first;
  for (let left = count; left > 1 && to !== undefined; left -= 1) {
    to = nextWordEnd(text, to, isBig);
  }
  if (to === undefined) return undefined;
  if (isBlank) return { from, to, isLinewise: false };
  const hasBlank = !isLineEnd(text, to) && kindAt(text, to, isBig) === 0;
  return hasBlank
    ? { from, to: runAt(text, to, isBig).to, isLinewise: false }
    : { from: blanksBefore(text, from, isBig), to, isLinewise: false };
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
