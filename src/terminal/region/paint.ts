// The bytes that bring the live region from one state to the next. All moves are relative to the cursor's row, and
// none goes above the region, so written text cannot be overwritten. The last row of an open line of text is the
// region's first row until it is full. Then it is printed again with the text that follows, so that the terminal wraps
// it, and copying and resizing see one line. Rows are erased one by one: some terminals ignore ED inside a synchronized
// update, and ED 2 and 3 would erase other output.

import type { TerminalTraits } from '../device/terminal-kind.ts';
import { styledCharacters, stylesOf } from '../text/wrap.ts';
import { displayWidth, padToWidth } from '../text/width.ts';

/** The last line of text without a line end, wrapped as the terminal wraps it. */
interface OpenLine {
  /** The text since the last line end, with its escape sequences; empty if the line is very long. */
  readonly text: string;
  /** The part in the line's last row, with the sequences that reopen its style. */
  readonly row: string;
  /** Used columns of the last row; a full row stays the last one until the next character. */
  readonly column: number;
  readonly rows: number;
  /** `text` was discarded. */
  readonly isClipped: boolean;
}

export const emptyLine: OpenLine = {
  text: '',
  row: '',
  column: 0,
  rows: 1,
  isClipped: false,
};

/** The text of longer lines is not kept. */
const maxText = 200_000;
const tabWidth = 8;

/** The line with more text, which may have line ends. */
export function advanceLine(open: OpenLine, added: string, columns: number): OpenLine {
  const lineEnd = added.lastIndexOf('\n');
  const line = lineEnd === -1 ? open : emptyLine;
  const own = added.slice(lineEnd + 1);
  let { row, column, rows } = line;
  for (const { text: character, isStyle } of styledCharacters(own)) {
    // A tab does not wrap: it stops at the last column.
    const tabStop = Math.min((Math.floor(column / tabWidth) + 1) * tabWidth, columns - 1);
    const isTab = character === '\t';
    const size = isTab ? Math.max(0, tabStop - column) : displayWidth(character);
    const width = isStyle ? 0 : size;
    if (!isTab && width > 0 && column + width > columns) {
      rows += 1;
      column = 0;
      row = stylesOf(row).join('');
    }
    row += character;
    column += width;
  }
  const text = line.text + own;
  const isClipped = line.isClipped || text.length > maxText;
  return { text: isClipped ? '' : text, row, column, rows, isClipped };
}

export const isOpen = (line: OpenLine): boolean => line.column > 0;

/** The shape of the cursor (DECSCUSR, steady). */
export type CaretShape = 'block' | 'underline' | 'bar';

export interface Frame {
  /** Styled, without line ends, no wider than the window, and fewer than its rows. */
  readonly rows: readonly string[];
  /** Position of the cursor, from zero; without it, the cursor is hidden in the last row. */
  readonly caret?:
    | {
        readonly row: number;
        readonly column: number;
        /** Absent: as the terminal was found. */
        readonly shape?: CaretShape | undefined;
        readonly isHidden?: boolean;
      }
    | undefined;
  /** Shown after an open line of text if it fits in the row. */
  readonly preview?: string | undefined;
  /** Its first rows, such as a preview of text, must not move into the scrollback. */
  readonly keepsFirstRows?: boolean;
}

export interface Shown {
  readonly frame: Frame;
  readonly line: OpenLine;
  /** The window's size when the region was drawn. */
  readonly columns: number;
  readonly rows: number;
}

const CSI = '\u001B[';
const eraseRow = `${CSI}2K`;
const eraseRest = `${CSI}K`;
/** The terminal cuts a row that is wider than expected, so that other rows do not move (DECAWM). */
const unwrapped = (rows: string) => `${CSI}?7l${rows}${CSI}?7h`;

const up = (rows: number) => (rows > 0 ? `${CSI}${rows}A` : '');
/** Moves down by line feeds, which add rows at the bottom of a window that has lost some; CUD would stop there. */
const vertical = (rows: number) => (rows < 0 ? up(-rows) : '\n'.repeat(rows));

/** The whole preview if it fits in the row of the open line, else nothing. */
export function shownPreview({ frame, line, columns }: Shown): string {
  const { preview = '' } = frame;
  const room = columns - line.column - 1;
  return isOpen(line) && displayWidth(preview) <= room ? preview : '';
}

/** All drawn rows: the open line's last row and the frame's rows. */
function drawnRows(shown: Shown): readonly string[] {
  const { frame, line } = shown;
  return isOpen(line) ? [line.row + shownPreview(shown), ...frame.rows] : frame.rows;
}

/** The cursor's row, from the first drawn one. */
function cursorRow({ frame, line }: Shown): number {
  const last = Math.max(0, frame.rows.length - 1);
  return (frame.caret?.row ?? last) + (isOpen(line) && frame.rows.length > 0 ? 1 : 0);
}

const shapeNumbers: Readonly<Record<CaretShape, number>> = { block: 2, underline: 4, bar: 6 };

function shapeBytes({ frame }: Shown): string {
  const shape = frame.caret?.shape;
  return shape === undefined ? '' : `${CSI}${shapeNumbers[shape]} q`;
}

function toCaret(shown: Shown, row: number): string {
  const { frame } = shown;
  const move = vertical(cursorRow(shown) - row);
  const { column = 0 } = frame.caret ?? {};
  const right = column > 0 ? `${CSI}${column}C` : '';
  return frame.rows.length === 0 ? move : `${move}\r${right}`;
}

/** Draws the frame's rows below the text, or from the cursor's empty row. */
export function drawFrame(shown: Shown): string {
  const { frame, line } = shown;
  const { rows } = frame;
  if (rows.length === 0) return '';
  const lead = isOpen(line) ? `${shownPreview(shown)}\r\n` : '\r';
  const last = rows.length - 1 + (isOpen(line) ? 1 : 0);
  return `${lead}${unwrapped(rows.join('\r\n'))}${toCaret(shown, last)}${shapeBytes(shown)}`;
}

function eraseBelow(rows: number): string {
  return `${`\n${eraseRow}`.repeat(Math.max(0, rows))}${up(rows)}`;
}

/** Moves from the caret to the end of the text and erases the region. */
export function toText(shown: Shown): string {
  const { line, frame, columns } = shown;
  const first = `${up(cursorRow(shown))}\r`;
  if (!isOpen(line)) {
    return `${first}${frame.rows.length > 0 ? eraseRow : ''}${eraseBelow(frame.rows.length - 1)}`;
  }
  // Overprinted, because erasing it could make the terminal forget that it continues the row above.
  const rest = line.column < columns ? eraseRest : '';
  return `${first}${eraseBelow(frame.rows.length)}${line.row}${rest}`;
}

/** Text for a terminal in raw mode. */
export const textBytes = (text: string): string => text.replaceAll('\n', '\r\n');

/**
 * A row that gets shorter is erased first: tmux counts cells that EL 0 has erased as part of their row, and wraps them in
 * a narrower window.
 */
function replaceRow(before: string, after: string, columns: number): string {
  const width = displayWidth(after);
  if (width < displayWidth(before)) return eraseRow + (after === '' ? '' : unwrapped(after));
  return unwrapped(after) + (width < columns ? eraseRest : '');
}

function drawChanges(from: Shown, to: Shown): string {
  const before = drawnRows(from);
  const after = drawnRows(to);
  let row = cursorRow(from);
  let output = '';
  const go = (target: number) => {
    output += `${vertical(target - row)}\r`;
    row = target;
  };
  for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
    const wanted = after[index];
    if (wanted === before[index]) continue;
    go(index);
    if (index === 0 && isOpen(to.line) && wanted !== undefined) {
      // Not cut: the window may be narrower when it arrives, and then all of the text must be wrapped.
      output += wanted + (displayWidth(wanted) < to.columns ? eraseRest : '');
    } else {
      output += replaceRow(before[index] ?? '', wanted ?? '', to.columns);
    }
  }
  const shape = shapeBytes(from) === shapeBytes(to) ? '' : shapeBytes(to);
  const wasHidden = from.frame.caret === undefined;
  const isSameCaret =
    wasHidden === (to.frame.caret === undefined) && toCaret(from, row) === toCaret(to, row);
  const move = output === '' && isSameCaret ? '' : output + toCaret(to, row);
  return move + shape;
}

/** Shows more text and a new frame in a window of the same size. */
export function paint(from: Shown, text: string, to: Shown): string {
  const staysInRow = !text.includes('\n') && to.line.rows === from.line.rows;
  if (text === '' || (staysInRow && isOpen(from.line))) return drawChanges(from, to);
  return toText(from) + textBytes(text) + drawFrame(to);
}

// When a window loses rows, it first loses those below the cursor; then rows above it move into the scrollback, where
// they cannot be erased. So while rows above the caret must not be left there, the cursor is hidden at the top of the
// region, and natter draws the caret.

/** The row with the character in `column` inverted. */
function withCaret(row: string, column: number): string {
  const whole = padToWidth(row, column + 1);
  let used = 0;
  let at = 0;
  for (const { text, isStyle } of styledCharacters(whole)) {
    if (!isStyle) used += displayWidth(text);
    if (used > column) {
      return `${whole.slice(0, at)}${CSI}7m${text}${CSI}27m${whole.slice(at + text.length)}`;
    }
    at += text.length;
  }
  return whole;
}

/** Fits the frame into the window: one row is left for text, and excess rows at the top are omitted. */
export function fitFrame(frame: Frame, windowRows: number): Frame {
  const excess = Math.max(0, frame.rows.length - Math.max(1, windowRows - 1));
  const rows = frame.rows.slice(excess);
  if (frame.caret === undefined || rows.length === 0) return { ...frame, rows };
  const caret = { ...frame.caret, row: Math.max(0, frame.caret.row - excess) };
  const row = rows[caret.row] ?? '';
  if (frame.keepsFirstRows === true && caret.row > 0) {
    const drawn = rows.with(caret.row, withCaret(row, caret.column));
    return { ...frame, rows: drawn, caret: { row: 0, column: 0, isHidden: true } };
  }
  // Spaces up to the caret: a terminal that rewraps rows may move a cursor that is beyond the end of its row.
  return { ...frame, rows: rows.with(caret.row, padToWidth(row, caret.column)), caret };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Moving down stops at the last row, which may be nearer now, so the terminal saves the position to return to. */
function eraseRows(rows: number): string {
  return `\u001B7${`\u001B[1B${eraseRow}`.repeat(Math.max(0, rows - 1))}\u001B8`;
}

/**
 * The bytes that move to the text after a resize, from the region as the terminal shows it now, and erase the region. If
 * the end of the text is out of reach, text continues in a new row.
 */
export function toTextAfterResize(
  shown: Shown,
  window: { readonly columns: number; readonly rows: number },
  { rewraps, cursorDrifts }: TerminalTraits,
): { readonly output: string; readonly line: OpenLine } {
  const { frame, line } = shown;
  const { columns } = window;
  // Number of rows of each frame row in the new window.
  const all = frame.rows.map((row) => (rewraps ? advanceLine(emptyLine, row, columns).rows : 1));
  const caretIndex = cursorRow(shown) - (isOpen(line) && frame.rows.length > 0 ? 1 : 0);
  const below = all.slice(caretIndex + 1);
  // A window that loses rows loses the last ones first, which then cannot move the cursor.
  const drifts = cursorDrifts && window.rows >= shown.rows;
  const drift = drifts ? sum(below) - below.length : 0;
  // The caret's row counts from its start: some terminals do not wrap it, and rows above it are not natter's.
  const above = sum(all.slice(0, caretIndex)) + drift;
  const go = (rows: number) => `${up(Math.min(rows, window.rows - 1))}\r`;
  const total = Math.min(sum(all), window.rows);
  // The last row of a clipped line is unknown, and so is one that the terminal has cut.
  const isKnown = isOpen(line) && !line.isClipped && (rewraps || line.column <= columns);
  const rewrapped = rewraps ? advanceLine(emptyLine, line.text, columns) : line;
  const found = isKnown ? rewrapped : undefined;
  const previewed = found && rewraps ? advanceLine(found, shownPreview(shown), columns) : found;
  const own = found === undefined ? 0 : 1 + (previewed?.rows ?? 0) - found.rows;
  if (found === undefined || above + own >= window.rows) {
    return { output: go(above) + eraseRow + eraseRows(total), line: emptyLine };
  }
  const rest = found.column < columns ? eraseRest : '';
  const rows = frame.rows.length === 0 ? 0 : above + own;
  return { output: go(rows) + eraseRows(total + own) + found.row + rest, line: found };
}
