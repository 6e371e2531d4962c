// What a command covers: lines, the text of a motion, an object such as `iw`, or the selection; and what it does there.
import { graphemes } from '../../../terminal/text/width.ts';
import { lineEnd, lineStart, nextBoundary, previousBoundary } from '../grapheme-boundary.ts';
import { isPasteMarker, mergePastes } from '../paste.ts';
import { moveTo, replaceRange, type TextBuffer } from '../text-buffer.ts';
import { motionOf } from './motions.ts';
import { enclosing, firstNonBlank, runsOf } from './text.ts';
import type { Command, Operator, Range, Register, Vi } from './vi.ts';

const characters = (from: number, to: number): Range => ({ from, to, isLinewise: false });

/** A word. `aw` adds the blanks after it, or else before it; on blanks or an empty line, the word after them. */
function word(text: string, cursor: number, isBig: boolean, isAround: boolean): Range | undefined {
  const runs = runsOf(text, isBig);
  const index = runs.findLastIndex((run) => run.from <= cursor);
  const [before, own, after] = [runs[index - 1], runs[index], runs[index + 1]];
  if (own === undefined) return undefined;
  const { from, to } = own;
  if (!isAround) return characters(from, to);
  if (own.isBlank || from === to) {
    const next = runs.slice(index + 1).find((run) => !run.isBlank);
    if (next === undefined || next.from === text.length) return undefined;
    return characters(from, next.to);
  }
  if (after?.isBlank === true && after.from === to) return characters(from, after.to);
  const isApart =
    before?.isBlank === true && before.to === from && firstNonBlank(text, from) < from;
  return characters(isApart ? before.from : from, to);
}

/** The quoted text at the cursor, or after it in its line. */
function quoted(text: string, cursor: number, quote: string, isAround: boolean): Range | undefined {
  const start = lineStart(text, cursor);
  const line = text.slice(start, lineEnd(text, cursor));
  // A backslash is read with the character after it.
  const quotes = Array.from(line.matchAll(/\\.|["'`]/gs))
    .filter(([match]) => match === quote)
    .map(({ index }) => start + index);
  const at = quotes.findIndex((offset) => offset >= cursor);
  // On a quote, pairs are counted from the start of the line; between two, those are the pair.
  const isClosing = quotes[at] === cursor ? at % 2 === 1 : at > 0;
  const [open, close] = quotes.slice(isClosing ? at - 1 : at);
  if (at === -1 || open === undefined || close === undefined) return undefined;
  if (!isAround) return characters(open + 1, close);
  const after = /^[ \t]*/.exec(text.slice(close + 1))?.[0].length ?? 0;
  const before = /[ \t]*$/.exec(text.slice(start, open))?.[0].length ?? 0;
  return characters(after > 0 ? open : open - before, close + 1 + after);
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
  if (isAround) return characters(start, end + 1);
  const from = text.charAt(start + 1) === '\n' ? start + 2 : start + 1;
  const isAlone = firstNonBlank(text, end) === end && lineStart(text, end) > from;
  return characters(from, isAlone ? lineStart(text, end) : Math.max(from, end));
}

/** A run of lines that are blank, or that are not. `ap` adds the next run, or else the one before. */
function paragraph(text: string, cursor: number, isAround: boolean): Range | undefined {
  const runs: { readonly from: number; to: number; readonly isBlankRun: boolean }[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    const isBlankRun = /^[ \t]*$/.test(line);
    const to = at + line.length;
    const last = runs.at(-1);
    if (last?.isBlankRun === isBlankRun) last.to = to;
    else runs.push({ from: at, to, isBlankRun });
    at = to + 1;
  }
  const index = runs.findLastIndex((run) => run.from <= cursor);
  const [before, own, after] = [runs[index - 1], runs[index], runs[index + 1]];
  if (own === undefined || (isAround && own.isBlankRun && after === undefined)) return undefined;
  const from = isAround && after === undefined ? (before ?? own).from : own.from;
  const to = isAround ? (after ?? own).to : own.to;
  return { from, to, isLinewise: true };
}

/** The text of an object such as `iw` or `a(`; undefined if there is none. */
export function objectOf({ buffer: { text, cursor } }: Vi, { name }: Command) {
  const isAround = name.startsWith('a');
  const key = name.slice(1);
  if (!/^[ia][wWp"'`()b[\]{}B<>]$/.test(name)) return undefined;
  if (/^w$/i.test(key)) return word(text, cursor, key === 'W', isAround);
  if (key === 'p') return paragraph(text, cursor, isAround);
  const pair = brackets.find((keys) => keys.includes(key));
  return pair === undefined
    ? quoted(text, cursor, key, isAround)
    : bracketed(text, cursor, pair.charAt(0), pair.charAt(1), isAround);
}

function wholeLines(text: string, from: number, to: number): Range {
  return { from: lineStart(text, from), to: lineEnd(text, to), isLinewise: true };
}

/** The selected text: from the anchor to the caret, including both characters. */
export function selectionOf({ mode, anchor, buffer: { text, cursor } }: Vi): Range {
  const from = Math.min(anchor, cursor);
  const last = Math.max(anchor, cursor);
  if (mode === 'visual-line') return wholeLines(text, from, last);
  return characters(from, last < text.length ? nextBoundary(text, last) : last);
}

interface Target extends Range {
  /** Where a yank or a change of case leaves the caret. */
  readonly start: number;
}

export function targetOf(vi: Vi, command: Command): Target | undefined {
  const { name, operator = '' } = command;
  // A selected line end does not add the next line.
  const selecting: Vi = /[J<>]/.test(operator) ? { ...vi, mode: 'visual-line' } : vi;
  const whole = name === 'selection' ? selectionOf(selecting) : objectOf(vi, command);
  if (whole !== undefined) return { ...whole, start: whole.from };
  const moved = motionOf(vi, command);
  if (moved === undefined) return undefined;
  const { text, cursor } = vi.buffer;
  const from = Math.min(cursor, moved.offset);
  const to = Math.max(cursor, moved.offset);
  if (moved.span === 'linewise') {
    return { ...wholeLines(text, from, to), start: name === '_' ? cursor : from };
  }
  if (moved.span === 'inclusive') {
    const end = to < lineEnd(text, to) ? nextBoundary(text, to) : to;
    return { ...characters(from, end), start: from };
  }
  // An end at the start of a line becomes the end of the line before, or whole lines.
  const endsLine = to > from && lineStart(text, to) === to && lineStart(text, from) < to;
  if (endsLine && from <= firstNonBlank(text, from)) {
    return { ...wholeLines(text, from, to - 1), start: from };
  }
  return { ...characters(from, endsLine ? to - 1 : to), start: from };
}

/** Returns the same buffer if nothing changes. */
type Operation = (buffer: TextBuffer, target: Target, command: Command) => TextBuffer;

export function registerOf({ text, pastes }: TextBuffer, range: Range): Register {
  const { from, to, isLinewise } = range;
  return { text: text.slice(from, to), pastes, isLinewise };
}

const remove: Operation = (buffer, { from, to, isLinewise }) => {
  if (from === to && !isLinewise) return buffer;
  // Without a line after them, lines are removed with the line end before them.
  const isLast = isLinewise && to === buffer.text.length;
  const start = isLast ? Math.max(0, from - 1) : from;
  const removed = replaceRange(buffer, start, isLinewise && !isLast ? to + 1 : to, '');
  return moveTo(removed, isLinewise ? firstNonBlank(removed.text, start) : start);
};

const shift =
  (indentation: RegExp, shifted: string): Operation =>
  (buffer, { from, to }) => {
    const start = lineStart(buffer.text, from);
    const end = lineEnd(buffer.text, to);
    const lines = buffer.text.slice(start, end).replaceAll(indentation, shifted);
    const changed = replaceRange(buffer, start, end, lines);
    return moveTo(changed, firstNonBlank(changed.text, start));
  };

/** Paste markers, and characters whose other case is longer, stay. */
const changeCase =
  (change: (character: string) => string): Operation =>
  (buffer, { from, to, start }) => {
    const changed = Array.from(graphemes(buffer.text.slice(from, to)), (character) => {
      const other = isPasteMarker(character) ? character : change(character);
      return other.length === character.length ? other : character;
    });
    return moveTo(replaceRange(buffer, from, to, changed.join('')), start);
  };

const toggleCase = changeCase((character) => {
  const upper = character.toUpperCase();
  return upper === character ? character.toLowerCase() : upper;
});

/** Nothing changes if the line has fewer than `count` characters; one line end replaces all of them. */
const replaceCharacters: Operation = (buffer, { from, to }, { character, count = 1, name }) => {
  const replaced = [...graphemes(buffer.text.slice(from, to))];
  const isSelection = name === 'selection';
  if (!isSelection && replaced.length < count) return buffer;
  if (!isSelection && character === '\n') return replaceRange(buffer, from, to, character);
  const text = replaced.map((each) => (each === '\n' ? each : character)).join('');
  const last = from + text.length - character.length;
  return moveTo(replaceRange(buffer, from, to, text), isSelection ? from : last);
};

/** Joins lines, a single one with the next one. */
const join: Operation = (buffer, range) => {
  const { text } = buffer;
  const from = lineStart(text, range.from);
  const end = lineEnd(text, range.to);
  const to = lineStart(text, end) === from ? lineEnd(text, end + 1) : end;
  const [first = '', ...others] = text.slice(from, to).split('\n');
  if (others.length === 0) return buffer;
  let joined = first;
  let at = 0;
  for (const line of others) {
    const added = line.replace(/^[ \t]+/, '');
    at = joined.length - Number(added === '');
    const isApart = joined === '' || /[ \t]$/.test(joined) || /^(?:\)|$)/.test(added);
    joined += isApart ? added : ` ${added}`;
  }
  return moveTo(replaceRange(buffer, from, to, joined), from + Math.max(0, at));
};

export const operations: Readonly<Record<Operator, Operation>> = {
  d: remove,
  c: (buffer, { from, to }) => moveTo(replaceRange(buffer, from, to, ''), from),
  y: (buffer, { start }) => moveTo(buffer, start),
  '>': shift(/^(?=.)/gm, '    '),
  '<': shift(/^(?: {1,4}|\t)/gm, ''),
  'g~': toggleCase,
  gu: changeCase((character) => character.toLowerCase()),
  gU: changeCase((character) => character.toUpperCase()),
  // It moves past the characters.
  '~': (buffer, target, command) => toggleCase(buffer, { ...target, start: target.to }, command),
  r: replaceCharacters,
  J: join,
};

/**
 * Puts the register in place of a range, `count` times, between `before` and `after`. The caret is on the last character,
 * or on the first one if there are several lines.
 */
export function put(
  buffer: TextBuffer,
  register: Register,
  { from, to, isLinewise }: Range,
  count: number,
  [before, after]: readonly [before: string, after: string],
): TextBuffer {
  const { text: content, pastes } = mergePastes(buffer.pastes, register);
  const separator = register.isLinewise ? '\n' : '';
  const whole = Array<string>(count).fill(content).join(separator);
  const done = replaceRange({ ...buffer, pastes }, from, to, before + whole + after);
  const start = from + before.length;
  if (register.isLinewise) return moveTo(done, firstNonBlank(done.text, start));
  const isInLine = !isLinewise && !whole.includes('\n');
  const last = previousBoundary(done.text, from + whole.length);
  return moveTo(done, isInLine ? Math.max(from, last) : start);
}
