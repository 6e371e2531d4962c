import { advanceLine, emptyLine, isOpen, type OpenLine, rewrapLine } from '../text/open-line.ts';
import { cursorRow, eraseRest, eraseRow, type Shown, shownPreview, up } from './paint.ts';

/** The window after a resize. */
export interface ResizedWindow {
  readonly columns: number;
  readonly rows: number;
  /** See `TerminalTraits`. */
  readonly rewraps: boolean;
  readonly cursorDrifts: boolean;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Number of rows of each frame row in the new window. */
function heights({ frame }: Shown, { columns, rewraps }: ResizedWindow): number[] {
  return frame.rows.map((row) => (rewraps ? advanceLine(emptyLine, row, columns).rows : 1));
}

/** The open line in the new window; undefined if its last row is unknown. */
function lineAfter(line: OpenLine, { columns, rewraps }: ResizedWindow): OpenLine | undefined {
  if (line.isClipped) return undefined;
  if (rewraps) return rewrapLine(line, columns);
  return line.column <= columns ? line : undefined;
}

/** Number of rows that the preview after the open line adds in the new window. */
function previewRows(shown: Shown, after: OpenLine, { columns, rewraps }: ResizedWindow): number {
  return rewraps ? advanceLine(after, shownPreview(shown), columns).rows - after.rows : 0;
}

/** Moving down stops at the last row, which may be nearer now, so the terminal saves the position to return to. */
function eraseRows(rows: number): string {
  return `\u001B7${`\u001B[1B${eraseRow}`.repeat(Math.max(0, rows - 1))}\u001B8`;
}

/** The way to the place where text continues. */
interface MoveToText {
  /** Bytes that move there and erase the region. */
  readonly output: string;
  readonly line: OpenLine;
}

/**
 * The way to the text after a resize, from the region as the terminal shows it now. If the end of the text is out of
 * reach, text continues in a new row.
 */
export function toTextAfterResize(shown: Shown, window: ResizedWindow): MoveToText {
  const { frame, line } = shown;
  const all = heights(shown, window);
  const caretIndex = cursorRow(shown) - (isOpen(line) && frame.rows.length > 0 ? 1 : 0);
  const below = all.slice(caretIndex + 1);
  // A window that loses rows loses the last ones first, which then cannot move the cursor.
  const drifts = window.cursorDrifts && window.rows >= shown.rows;
  const drift = drifts ? sum(below) - below.length : 0;
  // The caret's row counts from its start: some terminals do not wrap it, and rows above it are not natter's.
  const above = sum(all.slice(0, caretIndex)) + drift;
  const go = (rows: number) => `${up(Math.min(rows, window.rows - 1))}\r`;
  const total = Math.min(sum(all), window.rows);
  const found = isOpen(line) && sum(all) < window.rows ? lineAfter(line, window) : undefined;
  if (found === undefined) {
    return { output: go(above) + eraseRow + eraseRows(total), line: emptyLine };
  }
  const own = 1 + previewRows(shown, found, window);
  const rest = found.column < window.columns ? eraseRest : '';
  const rows = frame.rows.length === 0 ? 0 : above + own;
  return { output: go(rows) + eraseRows(total + own) + found.row + rest, line: found };
}
