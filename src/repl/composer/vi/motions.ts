import { nextBoundary, previousBoundary } from '../grapheme-boundary.ts';
import {
  columnAt,
  firstNonBlank,
  isEmptyLine,
  lineCount,
  lineEnd,
  lineStart,
  lineStartFrom,
  offsetAtColumn,
  onCharacter,
  startOfLine,
} from './lines.ts';
import { findCharacter, matchingBracket, paragraphEdge } from './searches.ts';
import type { CharacterSearch } from './vi-state.ts';
import { wordBack, wordEnd, wordEndBack, wordForward } from './words.ts';

interface MotionContext {
  readonly text: string;
  readonly cursor: number;
  readonly count: number | undefined;
  /** Of `f` and its like. */
  readonly character: string;
  readonly search: CharacterSearch | undefined;
  readonly wantedColumn: number | undefined;
  readonly isOperated: boolean;
}

export interface Moved {
  readonly offset: number;
  /** `exclusive`: an operator does not include the character at the offset. */
  readonly span: 'exclusive' | 'inclusive' | 'linewise';
  readonly wantedColumn?: number;
  readonly search?: CharacterSearch;
}

/** Undefined if the motion is not possible. */
type Motion = (context: MotionContext) => Moved | undefined;

const exclusive = (offset: number | undefined): Moved | undefined =>
  offset === undefined ? undefined : { offset, span: 'exclusive' };
const inclusive = (offset: number): Moved => ({ offset, span: 'inclusive' });
const linewise = (offset: number): Moved => ({ offset, span: 'linewise' });

/** Repeats a step `count` times, as long as it moves. */
function repeat(
  { cursor, count = 1 }: MotionContext,
  step: (at: number, isLast: boolean) => number | undefined,
): number | undefined {
  let at: number | undefined = cursor;
  for (let rest = count; rest > 0; rest -= 1) {
    const next: number | undefined = step(at, rest === 1);
    if (next === undefined) return undefined;
    if (next === at && rest < count) break;
    at = next;
  }
  return at;
}

function left(context: MotionContext): Moved | undefined {
  const start = lineStart(context.text, context.cursor);
  if (context.cursor === start) return context.isOperated ? exclusive(start) : undefined;
  return exclusive(
    repeat(context, (at) => (at === start ? at : previousBoundary(context.text, at))),
  );
}

function right(context: MotionContext): Moved | undefined {
  const { text, cursor, isOperated } = context;
  const end = lineEnd(text, cursor);
  const last = isOperated ? end : onCharacter(text, end);
  if (cursor >= last) return isOperated ? exclusive(cursor) : undefined;
  return exclusive(repeat(context, (at) => (at >= last ? at : nextBoundary(text, at))));
}

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
    return isMissing ? undefined : linewise(onCharacter(text, firstNonBlank(text, target)));
  };

const word =
  (isBig: boolean): Motion =>
  (context) => {
    const { text, isOperated } = context;
    return exclusive(
      repeat(context, (at, isLast) => wordForward(text, at, isBig, isOperated && isLast)),
    );
  };

const back =
  (step: typeof wordBack, isBig: boolean): Motion =>
  (context) => {
    const { text, cursor, isOperated } = context;
    const staysAtStart = !isOperated || !isEmptyLine(text, 0);
    const offset = repeat(context, (at) =>
      at === 0 && at !== cursor && staysAtStart ? 0 : step(text, at, isBig),
    );
    if (offset === undefined) return undefined;
    return step === wordBack ? exclusive(offset) : inclusive(offset);
  };

const end =
  (isBig: boolean): Motion =>
  (context) => {
    const offset = repeat(context, (at) => wordEnd(context.text, at, isBig, false));
    return offset === undefined ? undefined : inclusive(offset);
  };

function lineEndMotion({ text, cursor, count = 1 }: MotionContext): Moved | undefined {
  const target = lineStartFrom(text, cursor, count - 1);
  if (count > 1 && target === lineStart(text, cursor)) return undefined;
  const offset = onCharacter(text, lineEnd(text, target));
  return { offset, span: 'inclusive', wantedColumn: Number.POSITIVE_INFINITY };
}

const toLine =
  (otherwise: (text: string) => number): Motion =>
  ({ text, count }) =>
    linewise(onCharacter(text, firstNonBlank(text, startOfLine(text, count ?? otherwise(text)))));

const paragraph =
  (by: 1 | -1): Motion =>
  ({ text, cursor, count = 1 }) => {
    const offset = paragraphEdge(text, cursor, by, count);
    if (offset === undefined) return undefined;
    const isEnd = by === 1 && lineEnd(text, offset) === text.length && !isEmptyLine(text, offset);
    return isEnd ? inclusive(offset) : exclusive(offset);
  };

function searched(
  { text, cursor, count = 1 }: MotionContext,
  search: CharacterSearch | undefined,
  isRepeated: boolean,
): Moved | undefined {
  const offset = search && findCharacter(text, cursor, search, count, isRepeated);
  if (search === undefined || offset === undefined) return undefined;
  return { offset, span: search.isForward ? 'inclusive' : 'exclusive' };
}

const find =
  (isForward: boolean, isTill: boolean): Motion =>
  (context) => {
    const search = { character: context.character, isForward, isTill };
    const moved = searched(context, search, false);
    return moved && { ...moved, search };
  };

const findAgain =
  (isReversed: boolean): Motion =>
  (context) => {
    const { search } = context;
    const isForward = search?.isForward !== isReversed;
    return searched(context, search && { ...search, isForward }, true);
  };

function bracket({ text, cursor, count }: MotionContext): Moved | undefined {
  const offset = count === undefined ? matchingBracket(text, cursor) : undefined;
  return offset === undefined ? undefined : inclusive(offset);
}

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
  b: back(wordBack, false),
  B: back(wordBack, true),
  e: end(false),
  E: end(true),
  ge: back(wordEndBack, false),
  gE: back(wordEndBack, true),
  0: ({ text, cursor }) => exclusive(lineStart(text, cursor)),
  '^': ({ text, cursor }) => exclusive(onCharacter(text, firstNonBlank(text, cursor))),
  '|': ({ text, cursor, count = 1 }) => exclusive(offsetAtColumn(text, cursor, count - 1)),
  $: lineEndMotion,
  gg: toLine(() => 1),
  G: toLine(lineCount),
  '{': paragraph(-1),
  '}': paragraph(1),
  '%': bracket,
  f: find(true, false),
  F: find(false, false),
  t: find(true, true),
  T: find(false, true),
  ';': findAgain(false),
  ',': findAgain(true),
};
