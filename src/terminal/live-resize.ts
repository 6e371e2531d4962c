import { cursorRow, isOpen, type Shown } from './live-paint.ts';
import { emptyLine, lastCell, rewrapLine, type OpenLine } from './open-line.ts';
import { displayWidth } from './width.ts';

export interface Window {
  readonly columns: number;
  readonly rows: number;
  /** The terminal wraps the rows it shows anew when its width changes; most do, xterm itself cuts them. */
  readonly rewraps: boolean;
}

const up = (rows: number) => (rows > 0 ? `\u001B[${rows}A` : '');
/** Rows at the bottom may have gone, where moving down stops: the terminal remembers where to come back to. */
const eraseRows = (rows: number) =>
  `\r\u001B7\u001B[2K${'\u001B[1B\u001B[2K'.repeat(rows - 1)}\u001B8`;
const right = (columns: number) => (columns > 0 ? `\u001B[${columns}C` : '');

/** Rows that each row of the region takes in the new window. */
function heights({ frame }: Shown, { columns, rewraps }: Window): number[] {
  return frame.rows.map((row) =>
    rewraps ? Math.max(1, Math.ceil(displayWidth(row) / columns)) : 1,
  );
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** The open line in the new window; undefined when its end cannot be found again. */
function lineAfter(line: OpenLine, { columns, rewraps }: Window): OpenLine | undefined {
  if (!rewraps) {
    const column = Math.min(line.column, columns);
    return { ...line, column, isFull: column === columns };
  }
  return line.isClipped ? undefined : rewrapLine(line, columns);
}

function toLineEnd(line: OpenLine, columns: number): string {
  const column = line.isFull ? columns - line.lastWidth : line.column;
  return `${up(1)}\r${right(column)}${line.isFull ? lastCell(line) : ''}`;
}

/**
 * After the window's size changed: the bytes that erase the region as the terminal shows it now and lead to
 * where text goes on, and the line that text goes on. Where that is out of reach, text goes on in a new row.
 */
export function toTextAfterResize(
  shown: Shown,
  window: Window,
): { readonly output: string; readonly line: OpenLine } {
  const all = heights(shown, window);
  const total = Math.min(sum(all), window.rows);
  // The caret's own row counts from its begin: some terminals do not wrap it, and rows above are not ours.
  const above = sum(all.slice(0, cursorRow(shown.frame)));
  const erase = up(Math.min(above, window.rows - 1)) + eraseRows(Math.max(1, total));
  if (!isOpen(shown.line)) return { output: erase, line: shown.line };
  const isInReach = shown.frame.rows.length > 0 && sum(all) < window.rows;
  const line = isInReach ? lineAfter(shown.line, window) : undefined;
  if (line === undefined) return { output: erase, line: emptyLine };
  return { output: erase + toLineEnd(line, window.columns), line };
}
