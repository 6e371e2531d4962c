import { afterSequence, closing, styleSequence, type OpenStyle } from './open-style.ts';
import { displayWidth, graphemes } from './width.ts';

/**
 * The last line of text given to the terminal as long as no line end has come, followed as the terminal wraps
 * it: where the next character would go.
 */
export interface OpenLine {
  /** Since the last line end, with its escape sequences; only its end where the line is very long. */
  readonly text: string;
  /** Columns used in the line's last row. */
  readonly column: number;
  /** Every column of the last row is used: the terminal wraps before the next character, not earlier. */
  readonly isFull: boolean;
  /** The last character, its columns and its style. */
  readonly last: string;
  readonly lastWidth: number;
  readonly lastStyle: OpenStyle;
  /** What is open at the end of the text. */
  readonly style: OpenStyle;
  /** Rows the text wrapped into since this state began to be followed. */
  readonly rows: number;
  /** `text` lacks its beginning. */
  readonly isClipped: boolean;
}

export const emptyLine: OpenLine = {
  text: '',
  column: 0,
  isFull: false,
  last: '',
  lastWidth: 0,
  lastStyle: [],
  style: [],
  rows: 1,
  isClipped: false,
};

/** Longer lines are followed without keeping all of their text. */
const longestText = 200_000;
const tabWidth = 8;
const plain = /^[\x20-\x7e]*$/;

interface Position {
  column: number;
  rows: number;
  last: string;
  lastWidth: number;
}

function advanceTab(position: Position, columns: number): void {
  if (position.column >= columns) return;
  const next = (Math.floor(position.column / tabWidth) + 1) * tabWidth;
  // A tab never wraps: it stops at the last column.
  position.column = Math.min(next, columns - 1);
  position.last = ' ';
  position.lastWidth = 1;
}

function advanceCharacter(position: Position, character: string, columns: number): void {
  if (character === '\t') return advanceTab(position, columns);
  const width = displayWidth(character);
  if (width === 0) {
    position.last += character;
    return;
  }
  if (position.column + width > columns) {
    position.rows += 1;
    position.column = 0;
  }
  position.column += width;
  position.last = character;
  position.lastWidth = width;
}

function advancePlain(position: Position, text: string, columns: number): void {
  if (text === '') return;
  const end = position.column + text.length;
  position.rows += Math.ceil(end / columns) - Math.ceil(Math.max(1, position.column) / columns);
  position.column = end % columns === 0 ? columns : end % columns;
  position.last = text.charAt(text.length - 1);
  position.lastWidth = 1;
}

function advanceText(position: Position, text: string, columns: number): void {
  if (plain.test(text)) return advancePlain(position, text, columns);
  for (const character of graphemes(text)) advanceCharacter(position, character, columns);
}

/** The line after more text without a line end. */
export function extendLine(line: OpenLine, added: string, columns: number): OpenLine {
  const position: Position = {
    column: line.column,
    rows: line.rows,
    last: line.last,
    lastWidth: line.lastWidth,
  };
  let { style, lastStyle } = line;
  let at = 0;
  const advance = (text: string) => {
    if (text === '') return;
    advanceText(position, text, columns);
    lastStyle = style;
  };
  for (const { 0: sequence, index } of added.matchAll(styleSequence)) {
    advance(added.slice(at, index));
    style = afterSequence(style, sequence);
    at = index + sequence.length;
  }
  advance(added.slice(at));
  const text = line.text + added;
  const isClipped = line.isClipped || text.length > longestText;
  return {
    text: isClipped ? '' : text,
    column: position.column,
    isFull: position.column >= columns,
    last: position.last,
    lastWidth: position.lastWidth,
    lastStyle,
    style,
    rows: position.rows,
    isClipped,
  };
}

/** The line after more text of any kind. */
export function advanceLine(line: OpenLine, text: string, columns: number): OpenLine {
  const lineEnd = text.lastIndexOf('\n');
  if (lineEnd === -1) return extendLine(line, text, columns);
  return extendLine(emptyLine, text.slice(lineEnd + 1), columns);
}

/** The line as a terminal that wraps text anew shows it in another width. */
export function rewrapLine(line: OpenLine, columns: number): OpenLine {
  return extendLine(emptyLine, line.text, columns);
}

/** The sequences and characters that print the line's last character once more. */
export function lastCell({ last, lastStyle }: OpenLine): string {
  return lastStyle.join('') + last + closing(lastStyle);
}
