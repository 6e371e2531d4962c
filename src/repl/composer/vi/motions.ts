import { lineEnd, lineStart, nextBoundary, previousBoundary } from '../grapheme-boundary.ts';
import { moveVertically } from '../layout.ts';
import type { TextBuffer } from '../text-buffer.ts';
import { enclosing, firstNonBlank, isLineEnd, lineStartFrom, onCharacter, runsOf } from './text.ts';
import type { Command, Vi } from './vi.ts';

/** Where a motion starts: the text and the caret, and its command. */
interface Start extends TextBuffer, Command {
  /** The search is that of `;` or `,`. */
  readonly isRepeated: boolean;
}

/** The offset that a motion leads to; undefined if it is not possible. */
type Motion = (start: Start) => number | undefined;

/** Takes `count` steps to the left or right. */
function walk(step: typeof nextBoundary, { text, cursor, count = 1 }: Start): number {
  let at = cursor;
  for (let left = count; left > 0; left -= 1) at = step(text, at);
  return at;
}

const left: Motion = (start) => {
  const { text, cursor, operator } = start;
  const first = lineStart(text, cursor);
  if (cursor === first && operator === undefined) return undefined;
  return Math.max(first, walk(previousBoundary, start));
};

const right: Motion = (start) => {
  const { text, cursor, operator } = start;
  const end = lineEnd(text, cursor);
  const last = operator === undefined ? onCharacter(text, end) : end;
  if (cursor >= last && operator === undefined) return undefined;
  return Math.min(last, walk(nextBoundary, start));
};

/** An operator covers whole lines, even very long ones. */
const down = (start: Start, by: number) => {
  const columns = start.operator && Number.POSITIVE_INFINITY;
  return moveVertically(start, by * (start.count ?? 1), columns)?.cursor;
};

const toColumn: Motion = (start) => {
  const { text, count = 1 } = start;
  const cursor = lineStart(text, start.cursor);
  const moved = moveVertically({ ...start, cursor, preferredColumn: count - 1 }, 0);
  return onCharacter(text, moved?.cursor ?? cursor);
};

/** A place in the line that is a number of lines below, or above if negative. */
function inLine({ text, cursor }: Start, lines: number, place = firstNonBlank): number | undefined {
  const line = lineStartFrom(text, cursor, lines);
  return lines !== 0 && line === lineStart(text, cursor) ? undefined : place(text, line);
}

const wordsOf = (text: string, isBig: boolean) => runsOf(text, isBig).filter((run) => !run.isBlank);

const wordStarts = ({ text }: Start, isBig: boolean) =>
  wordsOf(text, isBig).map(({ from }) => from);

/** The offset of the last character of each word. */
const endsOf = (text: string, isBig: boolean) =>
  wordsOf(text, isBig).map(({ from, to }) => Math.max(from, previousBoundary(text, to)));

/** The last character of the `count`th word that ends at or after an offset. */
function wordEnd({ text, count = 1 }: Start, from: number, isBig: boolean): number {
  const ends = endsOf(text, isBig).filter((last) => last >= from && !isLineEnd(text, last));
  return ends[count - 1] ?? text.length;
}

/** The first character of the next word. An operator does not join lines with its last word. */
function word(start: Start, isBig: boolean): number {
  const { text, cursor, count = 1, operator } = start;
  // `cw` on a word ends where the word ends.
  if (operator === 'c' && /\S/.test(text.charAt(cursor))) {
    return nextBoundary(text, wordEnd(start, cursor, isBig));
  }
  const ahead = [...wordStarts(start, isBig).filter((from) => from > cursor), text.length];
  const next = ahead[count - 1];
  if (next === undefined) return text.length;
  const at = ahead[count - 2] ?? cursor;
  if (operator === undefined || lineEnd(text, at) >= next) return next;
  return isLineEnd(text, at) ? at + 1 : lineEnd(text, at);
}

/** The first or last character of the word before. */
function back({ text, cursor, count = 1, operator }: Start, stops: readonly number[]) {
  const staysAtStart = operator === undefined || !isLineEnd(text, 0);
  const start = cursor > 0 && staysAtStart ? 0 : undefined;
  return stops.filter((stop) => stop < cursor).at(-count) ?? start;
}

const toLine = ({ text }: Start, number: number) =>
  firstNonBlank(text, lineStartFrom(text, 0, number - 1));

/** The `count`th empty line after, or before, lines with text; the last one may be the end or start of the text. */
function paragraph({ text, cursor, count = 1 }: Start, isForward: boolean): number | undefined {
  const edge = isForward ? /(?<=[^\n]\n)(?=\n|$)/g : /(?<=^|\n)\n(?=[^\n])/g;
  const edges = Array.from(text.matchAll(edge), ({ index }) => index);
  const ahead = isForward
    ? edges.filter((index) => index > cursor + 1)
    : edges.filter((index) => index < cursor).toReversed();
  return [...ahead, isForward ? text.length : 0][count - 1];
}

/** A character of the line. */
const find: Motion = ({ text, cursor, count = 1, name, character, isRepeated }) => {
  const isForward = /^[ft]/.test(name);
  const isTill = /^t/i.test(name);
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
  return isTill ? beside(text, at) : at;
};

const brackets = '()[]{}';

/** The pair of the first bracket at or after the caret in its line. */
const bracket: Motion = ({ text, cursor, count }) => {
  const found = text.slice(cursor, lineEnd(text, cursor)).search(/[()[\]{}]/);
  if (count !== undefined || found === -1) return undefined;
  const own = brackets.indexOf(text.charAt(cursor + found));
  const by = own % 2 === 0 ? 1 : -1;
  const [wanted, other] = [brackets.charAt(own + by), brackets.charAt(own)];
  return enclosing(text, cursor + found + by, by, wanted, other);
};

/** What an operator covers: up to the character at the offset, or including it, or whole lines. */
const spans = ['exclusive', 'inclusive', 'linewise'] as const;

const motions: Readonly<Record<(typeof spans)[number], Readonly<Record<string, Motion>>>> = {
  exclusive: {
    h: left,
    l: right,
    ' ': right,
    w: (start) => word(start, false),
    W: (start) => word(start, true),
    b: (start) => back(start, wordStarts(start, false)),
    B: (start) => back(start, wordStarts(start, true)),
    0: ({ text, cursor }) => lineStart(text, cursor),
    '^': ({ text, cursor }) => onCharacter(text, firstNonBlank(text, cursor)),
    '|': toColumn,
    '{': (start) => paragraph(start, false),
    '}': (start) => paragraph(start, true),
    'F?': find,
    'T?': find,
  },
  inclusive: {
    e: (start) => wordEnd(start, start.cursor + 1, false),
    E: (start) => wordEnd(start, start.cursor + 1, true),
    ge: (start) => back(start, endsOf(start.text, false)),
    gE: (start) => back(start, endsOf(start.text, true)),
    $: (start) => inLine(start, (start.count ?? 1) - 1, lineEnd),
    '%': bracket,
    'f?': find,
    't?': find,
  },
  linewise: {
    j: (start) => down(start, 1),
    k: (start) => down(start, -1),
    '+': (start) => inLine(start, start.count ?? 1),
    '-': (start) => inLine(start, -(start.count ?? 1)),
    _: (start) => inLine(start, (start.count ?? 1) - 1),
    gg: (start) => toLine(start, start.count ?? 1),
    G: (start) => toLine(start, start.count ?? start.text.split('\n').length),
  },
};

/** Where a motion leads to; undefined if it is not possible, or for another command. */
export function motionOf({ search, buffer }: Vi, command: Command) {
  const isRepeated = /^[;,]$/.test(command.name);
  const { name: known = '', character = '' } = (isRepeated ? search : command) ?? {};
  const isForward = /^[ft]/.test(known) !== (command.name === ',');
  // A search backwards has the name in upper case.
  const directed = isForward ? known.toLowerCase() : known.toUpperCase();
  const name = isRepeated ? directed : known;
  const span = spans.find((each) => Object.hasOwn(motions[each], name));
  if (span === undefined) return undefined;
  const offset = motions[span][name]?.({ ...buffer, ...command, name, character, isRepeated });
  return offset === undefined ? undefined : { offset, span };
}
