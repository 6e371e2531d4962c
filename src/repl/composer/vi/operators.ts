import { graphemes } from '../../../terminal/text/width.ts';
import { lineEnd, lineStart, nextBoundary, previousBoundary } from '../grapheme-boundary.ts';
import { isPasteMarker, mergePastes } from '../paste.ts';
import { moveTo, replaceRange, type TextBuffer } from '../text-buffer.ts';
import type { Moved } from './motions.ts';
import { firstNonBlank, isLineEnd, lineStartFrom } from './text.ts';
import type { Operator, Range, Register } from './vi.ts';

export function wholeLines(text: string, from: number, to: number): Range {
  return { from: lineStart(text, from), to: lineEnd(text, to), isLinewise: true };
}

/** The text that a motion covers. */
export function motionRange(text: string, cursor: number, { offset, span }: Moved): Range {
  const from = Math.min(cursor, offset);
  const to = Math.max(cursor, offset);
  if (span === 'linewise') return wholeLines(text, from, to);
  if (span === 'inclusive') {
    return { from, to: to < lineEnd(text, to) ? nextBoundary(text, to) : to, isLinewise: false };
  }
  // An end at the start of a line becomes the end of the line before, or whole lines.
  const endsLine = to > from && lineStart(text, to) === to && lineStart(text, from) < to;
  if (endsLine && from <= firstNonBlank(text, from)) return wholeLines(text, from, to - 1);
  return { from, to: endsLine ? to - 1 : to, isLinewise: false };
}

export function registerOf({ text, pastes }: TextBuffer, range: Range): Register {
  const { from, to, isLinewise } = range;
  return { text: text.slice(from, to), pastes, isLinewise };
}

function remove(buffer: TextBuffer, { from, to, isLinewise }: Range): TextBuffer {
  if (from === to && !isLinewise) return buffer;
  // Without a line after them, lines are removed with the line end before them.
  const isLast = isLinewise && to === buffer.text.length;
  const start = isLast ? Math.max(0, from - 1) : from;
  const removed = replaceRange(buffer, start, isLinewise && !isLast ? to + 1 : to, '');
  const { text } = removed;
  const at = Math.min(start, text.length);
  return moveTo(removed, isLinewise ? firstNonBlank(text, at) : at);
}

function shift(buffer: TextBuffer, { from, to }: Range, isOut: boolean): TextBuffer {
  const { from: start, to: end } = wholeLines(buffer.text, from, to);
  const lines = buffer.text.slice(start, end);
  const shifted = isOut
    ? lines.replaceAll(/^(?: {1,4}|\t)/gm, '')
    : lines.replaceAll(/^(?=.)/gm, '    ');
  const changed = replaceRange(buffer, start, end, shifted);
  return moveTo(changed, firstNonBlank(changed.text, start));
}

const caseChanges = {
  'g~': (character: string) => {
    const upper = character.toUpperCase();
    return upper === character ? character.toLowerCase() : upper;
  },
  gu: (character: string) => character.toLowerCase(),
  gU: (character: string) => character.toUpperCase(),
} as const;

function changeCase(
  buffer: TextBuffer,
  { from, to }: Range,
  caret: number,
  operator: keyof typeof caseChanges,
): TextBuffer {
  // Paste markers, and characters whose other case is longer, stay.
  const characters = Array.from(graphemes(buffer.text.slice(from, to)), (character) => {
    const changed = isPasteMarker(character) ? character : caseChanges[operator](character);
    return changed.length === character.length ? changed : character;
  });
  return moveTo(replaceRange(buffer, from, to, characters.join('')), caret);
}

/** Applies an operator to a range. After a yank or a change of case, the caret is at `start`. */
export function applyOperator(
  buffer: TextBuffer,
  operator: Operator,
  range: Range,
  start: number,
): TextBuffer {
  switch (operator) {
    case 'd':
      return remove(buffer, range);
    case 'c':
      return moveTo(replaceRange(buffer, range.from, range.to, ''), range.from);
    case 'y':
      return moveTo(buffer, start);
    case '>':
    case '<':
      return shift(buffer, range, operator === '<');
    case 'g~':
    case 'gu':
    case 'gU':
      return changeCase(buffer, range, start, operator);
  }
}

// Changes of normal mode that are not an operator with a motion. They return the same buffer if nothing changes.

/** `p` and `P`: the caret is on the last character of the text, or on the first if it has several lines. */
export function put(
  buffer: TextBuffer,
  register: Register,
  isAfter: boolean,
  count: number,
): TextBuffer {
  const { text: content, pastes } = mergePastes(buffer.pastes, register);
  const merged = { ...buffer, pastes };
  const { text, cursor } = buffer;
  if (register.isLinewise) {
    const lines = Array<string>(count).fill(content).join('\n');
    const at = isAfter ? lineEnd(text, cursor) : lineStart(text, cursor);
    const done = replaceRange(merged, at, at, isAfter ? `\n${lines}` : `${lines}\n`);
    return moveTo(done, firstNonBlank(done.text, isAfter ? at + 1 : at));
  }
  const at = isAfter && !isLineEnd(text, cursor) ? nextBoundary(text, cursor) : cursor;
  const whole = content.repeat(count);
  const done = replaceRange(merged, at, at, whole);
  const end = at + whole.length;
  return moveTo(done, whole.includes('\n') ? at : previousBoundary(done.text, end));
}

/** `J`: joins `count` lines; without a second line, nothing changes. */
export function join(buffer: TextBuffer, count: number): TextBuffer {
  const { text, cursor } = buffer;
  const from = lineStart(text, cursor);
  const to = lineEnd(text, lineStartFrom(text, cursor, Math.max(1, count - 1)));
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
  const done = replaceRange(buffer, from, to, joined);
  return moveTo(done, from + Math.max(0, at));
}

/** The end of `count` characters of the line; undefined if it has fewer. */
function endOfCharacters({ text, cursor }: TextBuffer, count: number): number | undefined {
  let end = cursor;
  for (let left = count; left > 0; left -= 1) {
    if (isLineEnd(text, end)) return undefined;
    end = nextBoundary(text, end);
  }
  return end;
}

/** `r`: nothing changes if the line has fewer characters. */
export function replaceCharacters(
  buffer: TextBuffer,
  character: string,
  count: number,
): TextBuffer {
  const end = endOfCharacters(buffer, count);
  if (end === undefined) return buffer;
  if (character === '\n') return replaceRange(buffer, buffer.cursor, end, character);
  const replaced = replaceRange(buffer, buffer.cursor, end, character.repeat(count));
  return moveTo(replaced, previousBoundary(replaced.text, replaced.cursor));
}

/** `~`: switches the case of characters and moves past them. */
export function toggleCase(buffer: TextBuffer, count: number): TextBuffer {
  const { text, cursor } = buffer;
  const to = endOfCharacters(buffer, count) ?? lineEnd(text, cursor);
  return changeCase(buffer, { from: cursor, to, isLinewise: false }, to, 'g~');
}

/** `o` and `O`: an empty line for text. */
export function openLine(buffer: TextBuffer, isBelow: boolean): TextBuffer {
  const { text, cursor } = buffer;
  const at = isBelow ? lineEnd(text, cursor) : lineStart(text, cursor);
  const opened = replaceRange(buffer, at, at, '\n');
  return moveTo(opened, isBelow ? at + 1 : at);
}

/** Where `i`, `a`, `I`, `A` and `gI` insert text. */
export const insertionPlaces: Readonly<Record<string, (text: string, cursor: number) => number>> = {
  i: (_, cursor) => cursor,
  a: (text, cursor) => (isLineEnd(text, cursor) ? cursor : nextBoundary(text, cursor)),
  A: lineEnd,
  I: firstNonBlank,
  gI: lineStart,
};
