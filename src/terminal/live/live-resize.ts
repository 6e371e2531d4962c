import { cursorRow, eraseRest, eraseRow, shownPreview, up, type Shown } from './live-paint.ts';
import { emptyLine, extendLine, isOpen, rewrapLine, type OpenLine } from '../text/open-line.ts';

export interface Window {
  readonly columns: number;
  readonly rows: number;
  /** The terminal does not report its size. */
  readonly isGuess: boolean;
  /** The terminal rewraps its rows when its width changes. Most do; xterm truncates them. */
  readonly rewraps: boolean;
  /** The cursor moves down with every row that rewrapping adds, even below the cursor. */
  readonly cursorDrifts: boolean;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Number of rows of each frame row in the new window. */
function heights({ frame }: Shown, { columns, rewraps }: Window): number[] {
  return frame.rows.map((row) => (rewraps ? extendLine(emptyLine, row, columns).rows : 1));
}

/** The open line in the new window; undefined if its last row is unknown. */
function lineAfter(line: OpenLine, { columns, rewraps }: Window): OpenLine | undefined {
  if (line.isClipped) return undefined;
  if (rewraps) return rewrapLine(line, columns);
  return line.column <= columns ? line : undefined;
}

/** Number of rows that the preview after the open line adds in the new window. */
function previewRows(shown: Shown, after: OpenLine, { columns, rewraps }: Window): number {
  return rewraps ? extendLine(after, shownPreview(shown), columns).rows - after.rows : 0;
}

/** Moving down stops at the last row, which may be nearer now, so the terminal saves the position to return to. */
function eraseRows(rows: number): string {
  return `\u001B7${`\u001B[1B${eraseRow}`.repeat(Math.max(0, rows - 1))}\u001B8`;
}

/** The way to the place where text continues. */
export interface MoveToText {
  /** Bytes that move there and erase the region. */
  readonly output: string;
  readonly line: OpenLine;
  /** Rows above the last row of the text that this may overwrite if the terminal behaves differently. */
  readonly reach: number;
}

/**
 * The way to the text after a resize, from the region as the terminal shows it now. If the end of the text is out of
 * reach, text continues in a new row.
 */
export function toTextAfterResize(shown: Shown, window: Window): MoveToText {
  const { frame, line } = shown;
  const all = heights(shown, window);
  const caretIndex = cursorRow(shown) - (isOpen(line) && frame.rows.length > 0 ? 1 : 0);
  const below = all.slice(caretIndex + 1);
  const drift = window.cursorDrifts ? sum(below) - below.length : 0;
  // The caret's row counts from its start: some terminals do not wrap it, and rows above it are not natter's.
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

/** The same, to the start of text that is written again: `rows` above the text's last row. */
export function toRepeatedText(shown: Shown, rows: number, window: Window): MoveToText {
  // Each row of the region counts as one, even if it was wrapped: moving up too far would overwrite text.
  const go = up(Math.min(cursorRow(shown) + rows, window.rows - 1));
  const output = `${go}\r${eraseRow}${eraseRows(window.rows)}`;
  return { output, line: emptyLine, reach: Math.max(1, rows) };
}
