import { graphemes } from '../../../terminal/text/width.ts';
import { nextBoundary } from '../grapheme-boundary.ts';
import { isPasteMarker } from '../paste.ts';
import { moveTo, replaceRange, type TextBuffer } from '../text-buffer.ts';
import { firstNonBlank, lineEnd, lineStart, onCharacter } from './lines.ts';
import type { Moved } from './motions.ts';
import type { Operator } from './parse-keys.ts';
import type { Range } from './text-objects.ts';
import type { Register } from './vi-state.ts';

/** Columns of one indentation. */
const indentColumns = 4;

export function wholeLines(text: string, from: number, to: number): Range {
  return { from: lineStart(text, from), to: lineEnd(text, to), isLinewise: true };
}

/** An exclusive end at the start of a line becomes the end of the line before, or whole lines. */
function withoutLineStart(text: string, { from, to, isLinewise }: Range): Range {
  const endsLine = to > from && lineStart(text, to) === to && lineStart(text, from) < to;
  if (isLinewise || !endsLine) return { from, to, isLinewise };
  const isIndent = from <= firstNonBlank(text, from);
  return isIndent ? wholeLines(text, from, to - 1) : { from, to: to - 1, isLinewise: false };
}

/** The text that a motion covers. */
export function motionRange(text: string, cursor: number, { offset, span }: Moved): Range {
  const from = Math.min(cursor, offset);
  const to = Math.max(cursor, offset);
  if (span === 'linewise') return wholeLines(text, from, to);
  if (span === 'inclusive') {
    return { from, to: to < lineEnd(text, to) ? nextBoundary(text, to) : to, isLinewise: false };
  }
  return withoutLineStart(text, { from, to, isLinewise: false });
}

/** A deletion from blanks of one line to blanks of another covers whole lines. */
export function widened(text: string, range: Range): Range {
  const { from, to, isLinewise } = range;
  const isOneLine = lineStart(text, from) === lineStart(text, to);
  if (isLinewise || isOneLine || from > firstNonBlank(text, from)) return range;
  const after = text.slice(to, lineEnd(text, to));
  return /^[ \t]*$/.test(after) ? wholeLines(text, from, to) : range;
}

export function registerOf({ text, pastes }: TextBuffer, range: Range): Register {
  const { from, to, isLinewise } = range;
  return { text: text.slice(from, to), pastes, isLinewise };
}

function removeLines(buffer: TextBuffer, { from, to }: Range): TextBuffer {
  const { text } = buffer;
  const isLast = to === text.length;
  const start = isLast ? Math.max(0, from - 1) : from;
  const removed = replaceRange(buffer, start, isLast ? to : to + 1, '');
  const at = Math.min(isLast ? start : from, removed.text.length);
  return moveTo(removed, onCharacter(removed.text, firstNonBlank(removed.text, at)));
}

function remove(buffer: TextBuffer, range: Range): TextBuffer {
  if (range.isLinewise) return removeLines(buffer, range);
  const removed = replaceRange(buffer, range.from, range.to, '');
  return moveTo(removed, onCharacter(removed.text, Math.min(range.from, removed.text.length)));
}

function indented(line: string, by: number): string {
  if (line === '') return line;
  const [blanks = ''] = /^[ \t]*/.exec(line) ?? [];
  const columns = blanks.replaceAll('\t', ' '.repeat(indentColumns)).length;
  return ' '.repeat(Math.max(0, columns + by)) + line.slice(blanks.length);
}

function shift(buffer: TextBuffer, { from, to }: Range, by: number): TextBuffer {
  const { from: start, to: end } = wholeLines(buffer.text, from, to);
  const lines = buffer.text.slice(start, end).split('\n');
  const shifted = lines.map((line) => indented(line, by)).join('\n');
  const changed = replaceRange(buffer, start, end, shifted);
  return moveTo(changed, onCharacter(changed.text, firstNonBlank(changed.text, start)));
}

export const caseChanges = {
  'g~': (character: string) => {
    const upper = character.toUpperCase();
    return upper === character ? character.toLowerCase() : upper;
  },
  gu: (character: string) => character.toLowerCase(),
  gU: (character: string) => character.toUpperCase(),
} as const;

/** Paste markers, and characters whose other case is longer, stay. */
export function withCase(text: string, otherCase: (character: string) => string): string {
  return Array.from(graphemes(text), (character) => {
    const changed = isPasteMarker(character) ? character : otherCase(character);
    return changed.length === character.length ? changed : character;
  }).join('');
}

function changeCase(
  buffer: TextBuffer,
  { from, to }: Range,
  start: number,
  otherCase: (character: string) => string,
): TextBuffer {
  const changed = replaceRange(buffer, from, to, withCase(buffer.text.slice(from, to), otherCase));
  return moveTo(changed, onCharacter(changed.text, start));
}

/** The effect of an operator. With `inserts`, text is to be typed at the caret. */
export interface Operated {
  readonly buffer: TextBuffer;
  readonly register?: Register;
  readonly inserts?: boolean;
}

function change(buffer: TextBuffer, range: Range): Operated {
  const removed = moveTo(replaceRange(buffer, range.from, range.to, ''), range.from);
  if (isNothing(range)) return { buffer: removed, inserts: true };
  return { buffer: removed, register: registerOf(buffer, range), inserts: true };
}

/** Applies an operator to a range. After a yank or a change of case, the caret is at `start`. */
export function applyOperator(
  buffer: TextBuffer,
  operator: Operator,
  range: Range,
  start = range.from,
): Operated {
  switch (operator) {
    case 'd':
      if (isNothing(range)) return { buffer };
      return { buffer: remove(buffer, range), register: registerOf(buffer, range) };
    case 'c':
      return change(buffer, range);
    case 'y':
      return { buffer: moveTo(buffer, start), register: registerOf(buffer, range) };
    case '>':
      return { buffer: shift(buffer, range, indentColumns) };
    case '<':
      return { buffer: shift(buffer, range, -indentColumns) };
    case 'g~':
    case 'gu':
    case 'gU':
      return { buffer: changeCase(buffer, range, start, caseChanges[operator]) };
  }
}

/** An empty range of characters; an empty line is not one. */
function isNothing({ from, to, isLinewise }: Range): boolean {
  return from === to && !isLinewise;
}
