// The typed text after a question, and the bytes that update it on a terminal. Screen readers should not read the
// line again: typing at the end writes only the character, and the cursor moves left by backspaces and right by
// rewriting the text. Escape sequences move the cursor only between rows.

import { shownOf } from '../composer/layout.ts';
import type { Draft } from '../composer/text-buffer.ts';
import { displayWidth, graphemes } from '../../terminal/text/width.ts';

/** A text on the screen, character by character. */
export interface TypedLine {
  readonly shown: readonly string[];
  /** Number of characters before the caret. */
  readonly caret: number;
}

export const nothingTyped: TypedLine = { shown: [], caret: 0 };

export function typedLine({ text, cursor, pastes }: Draft): TypedLine {
  const shown = Array.from(graphemes(text), (character) =>
    character === '\n' ? character : shownOf(character, pastes),
  );
  return { shown, caret: [...graphemes(text.slice(0, cursor))].length };
}

interface Position {
  readonly row: number;
  readonly column: number;
}

/** The cursor's position after a text; after the last column it is on the next row. */
function advance(from: Position, text: string, columns: number): Position {
  let { row, column } = from;
  for (const character of graphemes(text)) {
    const width = displayWidth(character);
    if (character === '\n' || column + width > columns) [row, column] = [row + 1, 0];
    column += width;
    if (column === columns) [row, column] = [row + 1, 0];
  }
  return { row, column };
}

/** The positions of the characters, and of the end. */
function positionsOf({ shown }: TypedLine, column: number, columns: number): readonly Position[] {
  let last: Position = { row: 0, column };
  return [last, ...shown.map((text) => (last = advance(last, text, columns)))];
}

const start: Position = { row: 0, column: 0 };

/** Moves the caret: forward by writing characters. After the last column, a space moves it to the next row. */
function moveBytes(
  { shown }: TypedLine,
  positions: readonly Position[],
  from: number,
  to: number,
): string {
  const { row, column } = positions[to] ?? start;
  if (to >= from) {
    const texts = shown.slice(from, to).map((text, index) => {
      const isFull = text !== '\n' && positions[from + index + 1]?.column === 0;
      return isFull ? `${text} \r` : text;
    });
    return texts.join('');
  }
  const { row: fromRow, column: fromColumn } = positions[from] ?? start;
  if (fromRow === row) return '\b'.repeat(fromColumn - column);
  return `\u001B[${fromRow - row}A\r${column > 0 ? `\u001B[${column}C` : ''}`;
}

/** Erases the rest of an older, longer text and returns the cursor. */
function eraseBytes(end = start, oldEnd = start): string {
  if (oldEnd.row > end.row) return '\u001B[J';
  const rest = oldEnd.row === end.row ? Math.max(0, oldEnd.column - end.column) : 0;
  return ' '.repeat(rest) + '\b'.repeat(rest);
}

/** The bytes that turn `from` into `to` on a terminal of `columns`, where the line starts at `column`. */
export function editBytes(from: TypedLine, to: TypedLine, column: number, columns: number): string {
  const size = to.shown.length;
  const differs = to.shown.findIndex((text, index) => text !== from.shown[index]);
  const same = differs === -1 ? Math.min(size, from.shown.length) : differs;
  const positions = positionsOf(to, column, columns);
  if (same === size && same === from.shown.length) {
    return moveBytes(to, positions, from.caret, to.caret);
  }
  const oldPositions = positionsOf(from, column, columns);
  return (
    moveBytes(from, oldPositions, from.caret, same) +
    moveBytes(to, positions, same, size) +
    eraseBytes(positions.at(-1), oldPositions.at(-1)) +
    moveBytes(to, positions, size, to.caret)
  );
}
