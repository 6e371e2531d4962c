// The bytes that bring the live region from one state to the next. Positions are relative to the caret, or to
// the end of an open line of text, which the terminal itself remembers (DECSC): what wraps, and how wide its
// characters are, is the terminal's word. Rows are erased one by one: ED inside a synchronized update is lost
// in some terminals, and ED 2 and 3 would touch what is not natter's.

import { lastCell, type OpenLine } from './open-line.ts';
import { displayWidth } from './width.ts';

/** What the live region shows. */
export interface Frame {
  /** Styled, without line ends, no wider than the window; fewer than the window has rows. */
  readonly rows: readonly string[];
  /** Where the cursor stands, zero-based; without it, hidden at the end of the last row. */
  readonly caret?: { readonly row: number; readonly column: number } | undefined;
  /** Follows an open line of text on its row as far as there is room; becomes text only when committed. */
  readonly preview?: string | undefined;
}

/** What is on the screen. */
export interface Shown {
  readonly frame: Frame;
  readonly line: OpenLine;
  /** The window's columns when it was drawn. */
  readonly columns: number;
}

export const nothingShown = (line: OpenLine, columns: number): Shown => ({
  frame: { rows: [] },
  line,
  columns,
});

const CSI = '\u001B[';
const save = '\u001B7';
const restore = '\u001B8';
const eraseRow = `${CSI}2K`;
const eraseRest = `${CSI}K`;
/** A row that is wider than natter thinks is cut by the terminal (DECAWM), and moves no other. */
const unwrapped = (rows: string) => `${CSI}?7l${rows}${CSI}?7h`;

const up = (rows: number) => (rows > 0 ? `${CSI}${rows}A` : '');
const down = (rows: number) => (rows > 0 ? `${CSI}${rows}B` : '');
const right = (columns: number) => (columns > 0 ? `${CSI}${columns}C` : '');
const left = (columns: number) => (columns > 0 ? `${CSI}${columns}D` : '');
const vertical = (rows: number) => (rows < 0 ? up(-rows) : down(rows));

export const isOpen = (line: OpenLine) => line.column > 0;

/** Row that the cursor stands on, counted from the region's first. */
export const cursorRow = ({ rows, caret }: Frame) => caret?.row ?? Math.max(0, rows.length - 1);

/** Erases the rows below the cursor and comes back, in the same column. */
export function eraseBelow(rows: number): string {
  return rows === 0 ? '' : `${`${down(1)}${eraseRow}`.repeat(rows)}${up(rows)}`;
}

/** Erases the row of the cursor and the rows below, and comes back to its first column. */
export function eraseFrom(rows: number): string {
  return rows === 0 ? '\r' : `\r${eraseRow}${eraseBelow(rows - 1)}`;
}

/** From the caret to where text goes on, the region and the preview erased. */
export function toText(shown: Shown): string {
  const { frame, line } = shown;
  const { rows } = frame;
  if (!isOpen(line)) return up(cursorRow(frame)) + eraseFrom(rows.length);
  const rest = previewText(frame.preview, line, shown.columns) === '' ? '' : eraseRest;
  // Only printing brings back the state in which the terminal wraps before the next character.
  const full = line.isFull ? left(line.lastWidth - 1) + lastCell(line) : '';
  return restore + rest + eraseBelow(rows.length) + full;
}

/** Writes text where it goes on. */
export function textBytes(text: string): string {
  return text.replaceAll('\n', '\r\n');
}

/** At the end of an open line: room below it, and its place remembered. */
export function keepPlace(line: OpenLine, rows: number, columns: number): string {
  const place = line.isFull ? `\r${right(columns - 1)}` : '';
  return `${place}${'\u001BD'.repeat(rows)}${up(rows)}${save}`;
}

/** What of the preview fits behind the open line. */
function previewText(preview: string | undefined, line: OpenLine, columns: number): string {
  const room = columns - line.column - 1;
  if (preview === undefined || room < 1 || displayWidth(preview) > room) return '';
  return preview;
}

/** From the region's row `row` to its caret. */
function toCaret(frame: Frame, row: number): string {
  if (frame.rows.length === 0) return '';
  const target = cursorRow(frame);
  if (frame.caret === undefined) return vertical(target - row);
  return `${vertical(target - row)}\r${right(frame.caret.column)}`;
}

/** The whole region, drawn where text goes on; the rows below are empty. */
export function drawAll(frame: Frame, line: OpenLine, columns: number): string {
  const { rows } = frame;
  const open = isOpen(line);
  const place = open ? keepPlace(line, rows.length, columns) : '';
  const preview = open ? previewText(frame.preview, line, columns) : '';
  if (rows.length === 0) return place + preview;
  const lead = open ? `${preview}\r\n` : '\r';
  return `${place}${lead}${unwrapped(rows.join('\r\n'))}${toCaret(frame, rows.length - 1)}`;
}

/** Rows that differ, from the row `start` on which the cursor stands, and the caret. */
function drawChanges(from: Frame, to: Frame, start: number): string {
  let row = start;
  let output = '';
  const go = (target: number) => {
    output += `${vertical(target - row)}\r`;
    row = target;
  };
  for (let index = 0; index < Math.max(from.rows.length, to.rows.length); index += 1) {
    const wanted = to.rows[index];
    if (wanted !== from.rows[index]) {
      go(index);
      output += wanted === undefined ? eraseRow : `${wanted}${eraseRest}`;
    }
  }
  const isSame = output === '' && start === cursorRow(from) && isSameCaret(from, to);
  if (isSame) return '';
  return (output === '' ? '' : unwrapped(output)) + toCaret(to, row);
}

function isSameCaret(from: Frame, to: Frame): boolean {
  return (
    cursorRow(from) === cursorRow(to) &&
    from.caret?.column === to.caret?.column &&
    (from.caret === undefined) === (to.caret === undefined)
  );
}

/** The same text, another frame. */
function changeFrame(shown: Shown, to: Frame): string {
  const { frame, line, columns } = shown;
  const grows = to.rows.length > frame.rows.length;
  if (grows) return toText(shown) + drawAll(to, line, columns);
  const before = previewText(frame.preview, line, columns);
  const after = previewText(to.preview, line, columns);
  if (!isOpen(line) || line.isFull || before === after) {
    return drawChanges(frame, to, cursorRow(frame));
  }
  return restore + after + eraseRest + drawChanges(frame, to, -1);
}

/** More text on the row where it goes on, which has room for it. */
function extendRow(shown: Shown, text: string, line: OpenLine, to: Frame): string {
  const { frame, columns } = shown;
  const place = line.isFull ? `\r${right(columns - 1)}` : '';
  const preview = previewText(to.preview, line, columns);
  // Only where there is something: in a full row it would take the last character.
  const rest =
    previewText(frame.preview, shown.line, columns) === '' || line.isFull ? '' : eraseRest;
  const written = `${restore}${text}${place}${save}${preview}${rest}`;
  return written + drawChanges(frame, to, -1);
}

/** From what is shown to more text and another frame, in a window of the same size. */
export function paint(shown: Shown, text: string, line: OpenLine, to: Frame): string {
  if (text === '') return changeFrame(shown, to);
  const fits = isOpen(shown.line) && !text.includes('\n') && line.rows === shown.line.rows;
  if (fits && to.rows.length <= shown.frame.rows.length) return extendRow(shown, text, line, to);
  return toText(shown) + textBytes(text) + drawAll(to, line, shown.columns);
}
