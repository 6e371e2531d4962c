import { lineEnd, lineStart, nextBoundary, previousBoundary } from '../grapheme-boundary.ts';
import {
  columnAt,
  enclosing,
  firstNonBlank,
  isEmptyLine,
  isLineEnd,
  isBlank,
  lineStartFrom,
  offsetAtColumn,
  onCharacter,
  runsOf,
  type Run,
} from './text.ts';
import type { Draft } from '../text-buffer.ts';
import type { CharacterSearch, Command, Vi } from './vi.ts';

/** Where a motion starts: the text and the caret, the command, and what earlier motions left. */
type Start = Vi & Command & Draft;

export interface Moved {
  readonly offset: number;
  /** `exclusive`: an operator does not include the character at the offset. */
  readonly span: 'exclusive' | 'inclusive' | 'linewise';
  readonly wantedColumn?: number;
  readonly search?: CharacterSearch;
}

/** Undefined if the motion is not possible. */
type Motion = (start: Start) => Moved | undefined;

const exclusive = (offset: number): Moved => ({ offset, span: 'exclusive' });
const inclusive = (offset: number): Moved => ({ offset, span: 'inclusive' });
const linewise = (offset: number): Moved => ({ offset, span: 'linewise' });

/** Takes a step `count` times. */
function repeat({ cursor, count = 1 }: Start, step: (at: number) => number): number {
  let at = cursor;
  for (let rest = count; rest > 0; rest -= 1) at = step(at);
  return at;
}

const left: Motion = (start) => {
  const { text, cursor, operator } = start;
  const first = lineStart(text, cursor);
  if (cursor === first && operator === undefined) return undefined;
  return exclusive(repeat(start, (at) => Math.max(first, previousBoundary(text, at))));
};

const right: Motion = (start) => {
  const { text, cursor, operator } = start;
  const end = lineEnd(text, cursor);
  const last = operator === undefined ? onCharacter(text, end) : end;
  if (cursor >= last && operator === undefined) return undefined;
  return exclusive(repeat(start, (at) => Math.min(last, nextBoundary(text, at))));
};

const down =
  (by: 1 | -1): Motion =>
  ({ text, cursor, count = 1, wantedColumn }) => {
    const target = lineStartFrom(text, cursor, by * count);
    if (target === lineStart(text, cursor)) return undefined;
    const column = wantedColumn ?? columnAt(text, cursor);
    return { ...linewise(offsetAtColumn(text, target, column)), wantedColumn: column };
  };

const toFirstNonBlank =
  (lines: (count: number) => number): Motion =>
  ({ text, cursor, count = 1 }) => {
    const target = lineStartFrom(text, cursor, lines(count));
    const isMissing = lines(count) !== 0 && target === lineStart(text, cursor);
    return isMissing ? undefined : linewise(firstNonBlank(text, target));
  };

const wordsOf = (text: string, isBig: boolean) =>
  runsOf(text, isBig).filter((run) => !isBlank(run));

/** The first character of the next word. An operator does not join lines with its last word. */
const word =
  (isBig: boolean): Motion =>
  ({ text, cursor, count = 1, operator }) => {
    const starts = wordsOf(text, isBig).map(({ from }) => from);
    const ahead = [...starts.filter((from) => from > cursor), text.length];
    const next = ahead[count - 1];
    if (next === undefined) return exclusive(text.length);
    const at = ahead[count - 2] ?? cursor;
    if (operator === undefined || lineEnd(text, at) >= next) return exclusive(next);
    return exclusive(isLineEnd(text, at) ? at + 1 : lineEnd(text, at));
  };

/** The first character of the word before, or the last one. */
const back =
  (end: 'start' | 'end', isBig: boolean): Motion =>
  ({ text, cursor, count = 1, operator }) => {
    const stops = wordsOf(text, isBig)
      .map((each) => (end === 'start' ? each.from : lastOf(text, each)))
      .filter((stop) => stop < cursor);
    const staysAtStart = operator === undefined || !isEmptyLine(text, 0);
    const offset = stops.at(-count) ?? (cursor > 0 && staysAtStart ? 0 : undefined);
    if (offset === undefined) return undefined;
    return end === 'start' ? exclusive(offset) : inclusive(offset);
  };

function lastOf(text: string, { from, to }: Run): number {
  return Math.max(from, previousBoundary(text, to));
}

/** The last character of the word, or of the next word if the caret is there and does not stay. */
export function wordEnd(
  text: string,
  cursor: number,
  count: number,
  isBig: boolean,
  stays: boolean,
): number {
  const ends = wordsOf(text, isBig)
    .filter((run) => run.to > run.from)
    .map((run) => lastOf(text, run))
    .filter((end) => (stays ? end >= cursor : end > cursor));
  return ends[count - 1] ?? text.length;
}

const end =
  (isBig: boolean): Motion =>
  ({ text, cursor, count = 1 }) =>
    inclusive(wordEnd(text, cursor, count, isBig, false));

const toLineEnd: Motion = ({ text, cursor, count = 1 }) => {
  const target = lineStartFrom(text, cursor, count - 1);
  if (count > 1 && target === lineStart(text, cursor)) return undefined;
  const offset = onCharacter(text, lineEnd(text, target));
  return { offset, span: 'inclusive', wantedColumn: Number.POSITIVE_INFINITY };
};

const toLine =
  (otherwise: (text: string) => number): Motion =>
  ({ text, count = otherwise(text) }) =>
    linewise(firstNonBlank(text, lineStartFrom(text, 0, count - 1)));

/** The `count`th empty line after, or before, lines with text; the last one may be the end or start of the text. */
const paragraph =
  (by: 1 | -1): Motion =>
  ({ text, cursor, count = 1 }) => {
    const edge = by === 1 ? /(?<=[^\n]\n)(?=\n|$)/g : /(?<=^|\n)\n(?=[^\n])/g;
    const edges = Array.from(text.matchAll(edge), ({ index }) => index);
    const ahead =
      by === 1
        ? edges.filter((index) => index > cursor + 1)
        : edges.filter((index) => index < cursor).toReversed();
    if (count > ahead.length + 1) return undefined;
    const at = ahead[count - 1] ?? (by === 1 ? onCharacter(text, text.length) : 0);
    const isEnd = by === 1 && lineEnd(text, at) === text.length && !isEmptyLine(text, at);
    return isEnd ? inclusive(at) : exclusive(at);
  };

/** The place of a searched character; undefined if it is not in the line. */
function findCharacter(
  { text, cursor, count = 1 }: Start,
  search: CharacterSearch,
  isRepeated: boolean,
): Moved | undefined {
  const { character, isForward, isTill } = search;
  const line = text.slice(0, lineEnd(text, cursor));
  const next = isForward ? nextBoundary : previousBoundary;
  const beside = isForward ? previousBoundary : nextBoundary;
  // A repeated search does not stay beside the character that it has found.
  let at = isRepeated && isTill && count === 1 ? next(line, cursor) : cursor;
  for (let rest = count; rest > 0; rest -= 1) {
    const from = isForward ? at + 1 : at - 1;
    if (from < 0) return undefined;
    at = isForward ? line.indexOf(character, from) : line.lastIndexOf(character, from);
    if (at < lineStart(text, cursor)) return undefined;
  }
  return { offset: isTill ? beside(text, at) : at, span: isForward ? 'inclusive' : 'exclusive' };
}

const find =
  (isForward: boolean, isTill: boolean): Motion =>
  (start) => {
    const search = { character: start.character, isForward, isTill };
    const moved = findCharacter(start, search, false);
    return moved && { ...moved, search };
  };

const findAgain =
  (isReversed: boolean): Motion =>
  (start) => {
    const { search } = start;
    const isForward = search?.isForward !== isReversed;
    return search && findCharacter(start, { ...search, isForward }, true);
  };

const brackets = '()[]{}';

/** The pair of the first bracket at or after the caret in its line. */
const bracket: Motion = ({ text, cursor, count }) => {
  const found = text.slice(cursor, lineEnd(text, cursor)).search(/[()[\]{}]/);
  if (count !== undefined || found === -1) return undefined;
  const own = brackets.indexOf(text.charAt(cursor + found));
  const by = own % 2 === 0 ? 1 : -1;
  const [wanted, other] = [brackets.charAt(own + by), brackets.charAt(own)];
  const offset = enclosing(text, cursor + found + by, by, wanted, other);
  return offset === undefined ? undefined : inclusive(offset);
};

export const motions: Readonly<Record<string, Motion>> = {
  h: left,
  l: right,
  ' ': right,
  j: down(1),
  k: down(-1),
  '+': toFirstNonBlank((count) => count),
  '-': toFirstNonBlank((count) => -count),
  _: toFirstNonBlank((count) => count - 1),
  w: word(false),
  W: word(true),
  b: back('start', false),
  B: back('start', true),
  e: end(false),
  E: end(true),
  ge: back('end', false),
  gE: back('end', true),
  0: ({ text, cursor }) => exclusive(lineStart(text, cursor)),
  '^': ({ text, cursor }) => exclusive(onCharacter(text, firstNonBlank(text, cursor))),
  '|': ({ text, cursor, count = 1 }) => exclusive(offsetAtColumn(text, cursor, count - 1)),
  $: toLineEnd,
  gg: toLine(() => 1),
  G: toLine((text) => text.split('\n').length),
  '{': paragraph(-1),
  '}': paragraph(1),
  '%': bracket,
  'f?': find(true, false),
  'F?': find(false, false),
  't?': find(true, true),
  'T?': find(false, true),
  ';': findAgain(false),
  ',': findAgain(true),
};

/** Where a motion leads to; undefined if it is not possible. */
export function motionOf(vi: Vi, command: Command): Moved | undefined {
  return motions[command.name]?.({ ...vi, ...command, ...vi.buffer });
}
