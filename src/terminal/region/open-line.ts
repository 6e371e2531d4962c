import { afterSequence, styledCharacters, type OpenStyle } from '../text/wrap.ts';
import { displayWidth } from '../text/width.ts';

/** The last line of text without a line end, wrapped as the terminal wraps it. */
export interface OpenLine {
  /** The text since the last line end, with its escape sequences; empty if the line is very long. */
  readonly text: string;
  /** The part in the line's last row, with the sequences that reopen its style. */
  readonly row: string;
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
  column: 0,
  rows: 1,
  style: [],
  isClipped: false,
};

/** The text of longer lines is not kept. */
const maxText = 200_000;
const tabWidth = 8;

/** The line with more text, without a line end. */
export function extendLine(line: OpenLine, added: string, columns: number): OpenLine {
  let { row, column, rows, style } = line;
  for (const { text: character, isStyle } of styledCharacters(added)) {
    if (isStyle) style = afterSequence(style, character);
    // A tab does not wrap: it stops at the last column.
    const tabStop = Math.min((Math.floor(column / tabWidth) + 1) * tabWidth, columns - 1);
    const isTab = character === '\t';
    const own = isTab ? Math.max(0, tabStop - column) : displayWidth(character);
    const width = isStyle ? 0 : own;
    if (!isTab && width > 0 && column + width > columns) {
      rows += 1;
      column = 0;
      row = style.join('');
    }
    row += character;
    column += width;
  }
  const text = line.text + added;
  const isClipped = line.isClipped || text.length > maxText;
  return { text: isClipped ? '' : text, row, column, rows, style, isClipped };
}

/** The line with more text, which may have line ends. */
export function advanceLine(line: OpenLine, text: string, columns: number): OpenLine {
  const lineEnd = text.lastIndexOf('\n');
  if (lineEnd === -1) return extendLine(line, text, columns);
  return extendLine(emptyLine, text.slice(lineEnd + 1), columns);
}

export const isOpen = (line: OpenLine): boolean => line.column > 0;
