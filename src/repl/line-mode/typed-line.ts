// The typed text after a question, and the bytes that update it on a terminal. Screen readers should not read the
// line again: typing at the end writes only the character, and the cursor moves left by backspaces and right by
// rewriting the text. Escape sequences move the cursor only between rows.

import { isPasteMarker, pasteLabel } from '../composer/paste.ts';
import type { Draft } from '../composer/text-buffer.ts';
import { displayWidth, graphemes } from '../../terminal/text/width.ts';

/** A text on the screen, character by character. */
interface TypedLine {
  /** As shown: a long paste as its marker, a tab as spaces. */
  readonly shown: readonly string[];
  /** Number of characters before the caret. */
  readonly caret: number;
}

export const nothingTyped: TypedLine = { shown: [], caret: 0 };

/** The column where the line starts, and the width of the window. */
export interface LinePlace {
  readonly column: number;
  readonly columns: number;
}

const tab = '    ';

function shownCharacter(character: string, { pastes }: Draft): string {
  if (character === '\t') return tab;
  const paste = isPasteMarker(character) ? pastes.get(character) : undefined;
  return paste === undefined ? character : pasteLabel(paste);
}

export function typedLine(draft: Draft): TypedLine {
  const shown: string[] = [];
  let caret = 0;
  let at = 0;
  for (const character of graphemes(draft.text)) {
    if (at < draft.cursor) caret += 1;
    at += character.length;
    shown.push(shownCharacter(character, draft));
  }
  return { shown, caret };
}

interface Position {
  readonly row: number;
  readonly column: number;
}

/** The cursor's position after a text; after the last column it is on the next row. */
function advance({ row, column }: Position, text: string, columns: number): Position {
  let [atRow, atColumn] = [row, column];
  for (const character of graphemes(text)) {
    const width = displayWidth(character);
    const isFull = atColumn + width > columns;
    if (character === '\n' || isFull) atRow += 1;
    atColumn = character === '\n' ? 0 : (isFull ? 0 : atColumn) + width;
    if (atColumn === columns) {
      atRow += 1;
      atColumn = 0;
    }
  }
  return { row: atRow, column: atColumn };
}

function positionAfter({ shown }: TypedLine, count: number, place: LinePlace): Position {
  let position = { row: 0, column: place.column };
  for (const text of shown.slice(0, count)) position = advance(position, text, place.columns);
  return position;
}

const columnForward = (columns: number) => (columns > 0 ? `\u001B[${columns}C` : '');

/** Writes characters. After the last column, a space moves the cursor to the next row. */
function textBytes(line: TypedLine, from: number, to: number, place: LinePlace): string {
  let bytes = '';
  let position = positionAfter(line, from, place);
  for (const text of line.shown.slice(from, to)) {
    position = advance(position, text, place.columns);
    bytes += text !== '\n' && position.column === 0 ? `${text} \r` : text;
  }
  return bytes;
}

function backBytes(from: Position, to: Position): string {
  const rows = from.row - to.row;
  if (rows === 0) return '\b'.repeat(from.column - to.column);
  return `\u001B[${rows}A\r${columnForward(to.column)}`;
}

function moveBytes(line: TypedLine, from: number, to: number, place: LinePlace): string {
  if (to >= from) return textBytes(line, from, to, place);
  return backBytes(positionAfter(line, from, place), positionAfter(line, to, place));
}

/** Erases the rest of an older, longer text and returns the cursor. */
function eraseBytes(end: Position, oldEnd: Position): string {
  if (oldEnd.row > end.row) return '\u001B[J';
  const rest = oldEnd.row === end.row ? Math.max(0, oldEnd.column - end.column) : 0;
  return ' '.repeat(rest) + '\b'.repeat(rest);
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const end = Math.min(one.length, other.length);
  let count = 0;
  while (count < end && one[count] === other[count]) count += 1;
  return count;
}

/** The bytes that turn `from` into `to` on the terminal. */
export function editBytes(from: TypedLine, to: TypedLine, place: LinePlace): string {
  const same = commonLength(from.shown, to.shown);
  const size = to.shown.length;
  if (same === size && same === from.shown.length)
    return moveBytes(to, from.caret, to.caret, place);
  const end = positionAfter(to, size, place);
  const oldEnd = positionAfter(from, from.shown.length, place);
  return (
    moveBytes(from, from.caret, same, place) +
    textBytes(to, same, size, place) +
    eraseBytes(end, oldEnd) +
    moveBytes(to, size, to.caret, place)
  );
}

/** The bytes from the caret to the end. */
export function bytesToEnd(line: TypedLine, place: LinePlace): string {
  return moveBytes(line, line.caret, line.shown.length, place);
}
