import { afterSequence, styleRuns, type OpenStyle } from '../text/wrap.ts';
import { displayWidth, graphemes } from '../text/width.ts';

/** The last line of text without a line end, wrapped as the terminal wraps it. */
export interface OpenLine {
  /** Since the last line end, with its escape sequences; empty if the line is very long. */
  readonly text: string;
  /** The part in the line's last row, with the sequences that reopen its style. */
  readonly row: string;
  /** Length of the sequences at the start of `row` that reopen a style. */
  readonly lead: number;
  /** Used columns of the last row; a full row stays the last one until the next character. */
  readonly column: number;
  readonly rows: number;
  readonly style: OpenStyle;
  /** `text` was discarded. */
  readonly isClipped: boolean;
}

export const emptyLine: OpenLine = {
  text: '',
  row: '',
  lead: 0,
  column: 0,
  rows: 1,
  style: [],
  isClipped: false,
};

/** The text of longer lines is not kept. */
const maxText = 200_000;
const tabWidth = 8;

interface Position {
  row: string;
  lead: number;
  column: number;
  rows: number;
  style: OpenStyle;
}

function addTab(position: Position, columns: number): void {
  position.row += '\t';
  // A tab does not wrap: it stops at the last column.
  const next = (Math.floor(position.column / tabWidth) + 1) * tabWidth;
  position.column = Math.max(position.column, Math.min(next, columns - 1));
}

function addCharacter(position: Position, character: string, columns: number): void {
  if (character === '\t') return addTab(position, columns);
  const width = displayWidth(character);
  if (width > 0 && position.column + width > columns) {
    position.rows += 1;
    position.column = 0;
    position.row = position.style.join('');
    position.lead = position.row.length;
  }
  position.row += character;
  position.column += width;
}

/** The line with more text, without a line end. */
export function extendLine(line: OpenLine, added: string, columns: number): OpenLine {
  const { row, lead, column, rows, style } = line;
  const position: Position = { row, lead, column, rows, style };
  for (const run of styleRuns(added)) {
    if (run.isStyle) {
      position.row += run.text;
      position.style = afterSequence(position.style, run.text);
    } else {
      for (const character of graphemes(run.text)) addCharacter(position, character, columns);
    }
  }
  const text = line.text + added;
  const isClipped = line.isClipped || text.length > maxText;
  return { ...position, text: isClipped ? '' : text, isClipped };
}

/** The line with more text, which may have line ends. */
export function advanceLine(line: OpenLine, text: string, columns: number): OpenLine {
  const lineEnd = text.lastIndexOf('\n');
  if (lineEnd === -1) return extendLine(line, text, columns);
  return extendLine(emptyLine, text.slice(lineEnd + 1), columns);
}

/** The line after a terminal has rewrapped it to a different width. */
export function rewrapLine(line: OpenLine, columns: number): OpenLine {
  return extendLine(emptyLine, line.text, columns);
}

export const isOpen = (line: OpenLine): boolean => line.column > 0;
