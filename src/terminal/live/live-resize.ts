import { cursorRow, eraseRest, eraseRow, shownPreview, up, type Shown } from './live-paint.ts';
import { emptyLine, extendLine, isOpen, rewrapLine, type OpenLine } from '../text/open-line.ts';

export interface Window {
  readonly columns: number;
  readonly rows: number;
  /** The terminal does not tell its size. */
  readonly isGuess: boolean;
  /** The terminal wraps the rows it shows anew when its width changes; most do, xterm itself cuts them. */
  readonly rewraps: boolean;
  /** Then the cursor moves down with every row that this adds, those below the cursor too. */
  readonly cursorDrifts: boolean;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Rows that each row of the frame takes in the new window. */
function heights({ frame }: Shown, { columns, rewraps }: Window): number[] {
  return frame.rows.map((row) => (rewraps ? extendLine(emptyLine, row, columns).rows : 1));
}

/** The open line in the new window; undefined where its last row cannot be told. */
function lineAfter(line: OpenLine, { columns, rewraps }: Window): OpenLine | undefined {
  if (line.isClipped) return undefined;
  if (rewraps) return rewrapLine(line, columns);
  return line.column <= columns ? line : undefined;
}

/** Rows that the preview behind the open line takes for itself in the new window. */
function previewRows(shown: Shown, after: OpenLine, { columns, rewraps }: Window): number {
  return rewraps ? extendLine(after, shownPreview(shown), columns).rows - after.rows : 0;
}

/** Rows at the bottom may have gone, where moving down stops: the terminal remembers where to come back to. */
function eraseRows(rows: number): string {
  return `\u001B7${`\u001B[1B${eraseRow}`.repeat(Math.max(0, rows - 1))}\u001B8`;
}

/** How to come to where text goes on, and the line that it goes on. */
export interface WayToText {
  /** Erases the region on the way. */
  readonly output: string;
  readonly line: OpenLine;
  /** Rows above the last one of the text that this goes to, should the terminal not be as natter thinks. */
  readonly reach: number;
}

/**
 * After the window's size changed: the bytes that erase the region as the terminal shows it now and lead to
 * where text goes on, and the line that text goes on. Where that is out of reach, text goes on in a new row.
 */
export function toTextAfterResize(shown: Shown, window: Window): WayToText {
  const { frame, line } = shown;
  const all = heights(shown, window);
  const caretIndex = cursorRow(shown) - (isOpen(line) && frame.rows.length > 0 ? 1 : 0);
  const below = all.slice(caretIndex + 1);
  const drift = window.cursorDrifts ? sum(below) - below.length : 0;
  // The caret's own row counts from its begin: some terminals do not wrap it, and rows above are not ours.
  const above = sum(all.slice(0, caretIndex)) + drift;
  const go = (rows: number) => `${up(Math.min(rows, window.rows - 1))}\r`;
  const total = Math.min(sum(all), window.rows);
  const found = isOpen(line) && sum(all) < window.rows ? lineAfter(line, window) : undefined;
  if (found === undefined) {
    const reach = Math.max(0, above - cursorRow(shown));
    return { output: go(above) + eraseRow + eraseRows(total), line: emptyLine, reach };
  }
  const own = 1 + previewRows(shown, found, window);
  const rest = found.column < window.columns ? eraseRest : '';
  const rows = frame.rows.length === 0 ? 0 : above + own;
  const output = go(rows) + eraseRows(total + own) + found.row + rest;
  return { output, line: found, reach: Math.max(0, rows - cursorRow(shown)) };
}

/** The same, to the begin of text that is written again: `rows` above the last one of the text. */
export function toTextAgain(shown: Shown, rows: number, window: Window): WayToText {
  // No row of the region counts as more than one, though it may take more: rather too little.
  const go = up(Math.min(cursorRow(shown) + rows, window.rows - 1));
  const output = `${go}\r${eraseRow}${eraseRows(window.rows)}`;
  return { output, line: emptyLine, reach: Math.max(1, rows) };
}
