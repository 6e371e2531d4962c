import { afterSequence, styleRuns, type OpenStyle } from './open-style.ts';
import { displayWidth, graphemes } from './width.ts';

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
const plain = /[\x20-\x7e]+/y;
/** Kana, ideographs and syllables: two columns each, unless a mark follows. */
const wide = /[\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]+/y;
/** Everything else. */
const other = /[^\x20-\x7e\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]+/y;

interface Position {
  row: string;
  lead: number;
  column: number;
  rows: number;
  style: OpenStyle;
}

function beginRow(position: Position): void {
  position.row = position.style.join('');
  position.lead = position.row.length;
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
    beginRow(position);
  }
  position.row += character;
  position.column += width;
}

function addPlain(position: Position, text: string, columns: number): void {
  if (text === '') return;
  const end = position.column + text.length;
  const breaks = Math.ceil(end / columns) - Math.ceil(Math.max(1, position.column) / columns);
  position.rows += breaks;
  position.column = ((end - 1) % columns) + 1;
  if (breaks > 0) beginRow(position);
  position.row += breaks > 0 ? text.slice(text.length - position.column) : text;
}

function addWide(position: Position, text: string, columns: number): void {
  for (const character of text) {
    if (position.column + 2 > columns) {
      position.rows += 1;
      position.column = 0;
      beginRow(position);
    }
    position.row += character;
    position.column += 2;
  }
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex - at : 0;
}

/** Segments only what needs it: other characters, each with the one before, which a mark may change. */
function addText(position: Position, text: string, columns: number): void {
  for (let at = 0; at < text.length;) {
    const plainLength = lengthOf(plain, text, at);
    const run = plainLength || lengthOf(wide, text, at);
    const others = lengthOf(other, text, at + run);
    const split = at + (others > 0 ? Math.max(0, run - 1) : run);
    const end = at + run + others;
    if (plainLength > 0) addPlain(position, text.slice(at, split), columns);
    else addWide(position, text.slice(at, split), columns);
    const rest = others > 0 ? graphemes(text.slice(split, end)) : [];
    for (const character of rest) addCharacter(position, character, columns);
    at = end;
  }
}

/** The line with more text, without a line end. */
export function extendLine(line: OpenLine, added: string, columns: number): OpenLine {
  const { row, lead, column, rows, style } = line;
  const position: Position = { row, lead, column, rows, style };
  for (const run of styleRuns(added)) {
    if (run.isStyle) {
      position.row += run.text;
      position.style = afterSequence(position.style, run.text);
    } else addText(position, run.text, columns);
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
