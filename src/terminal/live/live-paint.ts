// The bytes that bring the live region from one state to the next. All moves are relative to the cursor's row, and
// none goes above the region: text that was given to the terminal stays out of reach. The last row of an open
// line of text counts as the region's first row until it is full; then it is printed once more with what follows,
// so that the terminal itself wraps it, and copying and resizing find one line. Rows are erased one by one: ED
// inside a synchronized update is lost in some terminals, and ED 2 and 3 would touch what is not natter's.

import { isOpen, type OpenLine } from '../text/open-line.ts';
import { styleSequence } from '../text/open-style.ts';
import { displayWidth } from '../text/width.ts';

interface Caret {
  readonly row: number;
  readonly column: number;
  readonly isHidden?: boolean;
}

/** What the live region shows. */
export interface Frame {
  /** Styled, without line ends, no wider than the window; fewer than the window has rows. */
  readonly rows: readonly string[];
  /** Where the cursor stands, zero-based; without it, hidden at the end of the last row. */
  readonly caret?: Caret | undefined;
  /** Follows an open line of text on its row as far as there is room; becomes text only when committed. */
  readonly preview?: string | undefined;
  /** Its first rows are a preview of text, which must not get into the scrollback. */
  readonly hasPreviewRows?: boolean;
}

/** What is on the screen. */
export interface Shown {
  readonly frame: Frame;
  readonly line: OpenLine;
  /** The window's columns when it was drawn. */
  readonly columns: number;
  /** The terminal did not report them. */
  readonly isGuess: boolean;
}

export const nothingShown = (line: OpenLine, columns: number): Shown => ({
  frame: { rows: [] },
  line,
  columns,
  isGuess: false,
});

const CSI = '\u001B[';
export const eraseRow = `${CSI}2K`;
export const eraseRest = `${CSI}K`;
/** A row that is wider than natter thinks is cut by the terminal (DECAWM), and moves no other. */
const unwrapped = (rows: string) => `${CSI}?7l${rows}${CSI}?7h`;

/** Characters whose width every terminal agrees on. */
const certain = /^[\x20-\x7e\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7a3]*$/;

/**
 * The row of an open line. Where its width is certain it is not cut: should the window have become narrower
 * before this arrives, all of the text must be there to be wrapped.
 */
function textRow(row: string): string {
  return certain.test(row.replaceAll(styleSequence, '')) ? row : unwrapped(row);
}

export const up = (rows: number) => (rows > 0 ? `${CSI}${rows}A` : '');
/** By line feeds: in a window that has lost its last rows, these make room where CUD would stop. */
const down = (rows: number) => '\n'.repeat(Math.max(0, rows));
const left = (columns: number) => (columns > 0 ? `${CSI}${columns}D` : '');
const right = (columns: number) => (columns > 0 ? `${CSI}${columns}C` : '');
const farRight = `${CSI}9999C`;
const vertical = (rows: number) => (rows < 0 ? up(-rows) : down(rows));

/** The whole preview if it fits, else nothing. */
export function shownPreview({ frame, line, columns }: Shown): string {
  const { preview = '' } = frame;
  const room = columns - line.column - 1;
  return isOpen(line) && displayWidth(preview) <= room ? preview : '';
}

/** All rows that are drawn: that of the open line, and the frame's. */
function drawnRows(shown: Shown): readonly string[] {
  const { frame, line } = shown;
  return isOpen(line) ? [line.row + shownPreview(shown), ...frame.rows] : frame.rows;
}

/** The row of the cursor, counted from the first that is drawn. */
export function cursorRow({ frame, line }: Shown): number {
  const last = Math.max(0, frame.rows.length - 1);
  return (frame.caret?.row ?? last) + (isOpen(line) && frame.rows.length > 0 ? 1 : 0);
}

/** The column of the cursor; hidden it stands inside the last row, as far to the middle as that goes. */
export function cursorColumn({ frame, columns }: Shown): number {
  const { caret, rows } = frame;
  return caret?.column ?? Math.min(Math.floor(columns / 2), displayWidth(rows.at(-1) ?? ''));
}

/**
 * From a row to the caret, counted from the window's right edge, where that is known: so its column tells how wide
 * the window was.
 */
function toCaret(shown: Shown, row: number): string {
  const move = vertical(cursorRow(shown) - row);
  if (shown.frame.rows.length === 0) return move;
  const column = cursorColumn(shown);
  const way = shown.isGuess ? right(column) : `${farRight}${left(shown.columns - 1 - column)}`;
  return `${move}\r${way}`;
}

/** The frame's rows, drawn from the row after the text, or on the empty row where the cursor stands. */
export function drawFrame(shown: Shown): string {
  const { frame, line } = shown;
  const { rows } = frame;
  if (rows.length === 0) return '';
  const lead = isOpen(line) ? `${shownPreview(shown)}\r\n` : '\r';
  const last = rows.length - 1 + (isOpen(line) ? 1 : 0);
  return `${lead}${unwrapped(rows.join('\r\n'))}${toCaret(shown, last)}`;
}

/** Erases the rows under the cursor and comes back. */
function eraseBelow(rows: number): string {
  return `${`${down(1)}${eraseRow}`.repeat(Math.max(0, rows))}${up(rows)}`;
}

/** From the caret to the end of the text, with the region erased. */
export function toText(shown: Shown): string {
  const { line, frame, columns } = shown;
  const first = `${up(cursorRow(shown))}\r`;
  if (!isOpen(line)) {
    return `${first}${frame.rows.length > 0 ? eraseRow : ''}${eraseBelow(frame.rows.length - 1)}`;
  }
  // Printed over itself: erasing it could take away that it goes on from the row above.
  const rest = line.column < columns ? eraseRest : '';
  return `${first}${eraseBelow(frame.rows.length)}${line.row}${rest}`;
}

/** Text as a terminal in raw mode takes it. */
export function textBytes(text: string): string {
  return text.replaceAll('\n', '\r\n');
}

function isSameCaret(from: Shown, to: Shown): boolean {
  return (
    cursorRow(from) === cursorRow(to) &&
    from.frame.caret?.column === to.frame.caret?.column &&
    (from.frame.caret === undefined) === (to.frame.caret === undefined)
  );
}

/** Rows that differ, and the caret. */
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
    if (wanted === undefined) output += eraseRow;
    else output += index === 0 && isOpen(to.line) ? textRow(wanted) : unwrapped(wanted);
    if (wanted !== undefined && displayWidth(wanted) < to.columns) output += eraseRest;
  }
  return output === '' && isSameCaret(from, to) ? '' : output + toCaret(to, row);
}

/** From what is shown to more text and another frame, in a window of the same size. */
export function paint(from: Shown, text: string, to: Shown): string {
  const staysInRow = !text.includes('\n') && to.line.rows === from.line.rows;
  if (text === '' || (staysInRow && isOpen(from.line))) return drawChanges(from, to);
  return toText(from) + textBytes(text) + drawFrame(to);
}
