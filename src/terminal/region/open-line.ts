import { afterSequence, styleRuns, type OpenStyle } from '../text/wrap.ts';
import { displayWidth, graphemes } from '../text/width.ts';

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

type Position = { -readonly [Name in keyof OpenLine]: OpenLine[Name] };

function addCharacter(position: Position, character: string, columns: number): void {
  // A tab does not wrap: it stops at the last column.
  const tabStop = Math.min((Math.floor(position.column / tabWidth) + 1) * tabWidth, columns - 1);
  const width =
    character === '\t' ? Math.max(0, tabStop - position.column) : displayWidth(character);
  if (character !== '\t' && width > 0 && position.column + width > columns) {
    position.rows += 1;
    position.column = 0;
    position.row = position.style.join('');
  }
  position.row += character;
  position.column += width;
}

/** The line with more text, without a line end. */
export function extendLine(line: OpenLine, added: string, columns: number): OpenLine {
  const position: Position = { ...line, text: line.text + added };
  for (const run of styleRuns(added)) {
    if (run.isStyle) {
      position.row += run.text;
      position.style = afterSequence(position.style, run.text);
    } else {
      for (const character of graphemes(run.text)) addCharacter(position, character, columns);
    }
  }
  position.isClipped ||= position.text.length > maxText;
  if (position.isClipped) position.text = '';
  return position;
}

/** The line with more text, which may have line ends. */
export function advanceLine(line: OpenLine, text: string, columns: number): OpenLine {
  const lineEnd = text.lastIndexOf('\n');
  if (lineEnd === -1) return extendLine(line, text, columns);
  return extendLine(emptyLine, text.slice(lineEnd + 1), columns);
}

export const isOpen = (line: OpenLine): boolean => line.column > 0;
