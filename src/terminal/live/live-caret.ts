// Where the cursor is within the live region. A window that gets lower loses the rows under the cursor first; those
// above it go into the scrollback, where natter cannot reach them. So while rows above the caret are only a preview,
// the cursor is hidden at the top of the region, and natter draws the caret.

import type { Frame } from './live-paint.ts';
import { displayWidth, padToWidth } from '../text/width.ts';
import { styledCharacters } from '../text/wrap.ts';

const inverse = (text: string) => `\u001B[7m${text}\u001B[27m`;

/** The row with the character in that column inverted. */
function withCaret(row: string, column: number): string {
  const whole = padToWidth(row, column + 1);
  let used = 0;
  let at = 0;
  for (const { text, isStyle } of styledCharacters(whole)) {
    if (!isStyle) used += displayWidth(text);
    if (used > column) return whole.slice(0, at) + inverse(text) + whole.slice(at + text.length);
    at += text.length;
  }
  return whole;
}

/** With blanks up to the caret: a terminal that wraps rows anew may move a cursor that is behind its row. */
function reachingCaret(frame: Frame): Frame {
  const { rows, caret } = frame;
  return {
    ...frame,
    rows: rows.map((row, index) => (index === caret?.row ? padToWidth(row, caret.column) : row)),
  };
}

function parked(frame: Frame, columns: number): Frame {
  const { rows, caret } = frame;
  if (caret === undefined || caret.row === 0) return frame;
  const drawn = rows.map((row, index) =>
    index === caret.row ? withCaret(row, caret.column) : row,
  );
  // In the middle it tells how wide the window is, whether that gets wider or narrower.
  const column = Math.min(Math.floor(columns / 2), displayWidth(rows[0] ?? ''));
  return { ...frame, rows: drawn, caret: { row: 0, column, isHidden: true } };
}

/** The frame in a window of that size, the cursor in its place; it leaves a row to the text, rows at the top give way. */
export function fitFrame(frame: Frame, columns: number, rows: number): Frame {
  const excess = Math.max(0, frame.rows.length - Math.max(1, rows - 1));
  const caret = frame.caret && { ...frame.caret, row: Math.max(0, frame.caret.row - excess) };
  const fitted = { ...frame, rows: frame.rows.slice(excess), caret };
  return reachingCaret(frame.hasPreviewRows === true ? parked(fitted, columns) : fitted);
}
