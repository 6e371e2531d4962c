import { sanitizeLine } from '../terminal/sanitizer.ts';
import type { Style } from '../terminal/style.ts';
import { displayWidth, truncateToWidth } from '../terminal/width.ts';

export interface Column {
  readonly heading: string;
  readonly align?: 'left' | 'right';
}

export interface TableLayout {
  readonly isTerminal: boolean;
  /** Width of the terminal in columns. */
  readonly width: number;
  readonly style: Style;
}

const gap = '  ';

function pad(text: string, width: number, align: Column['align']): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'right' ? space + text : text + space;
}

/**
 * Rows for a terminal: aligned under a heading, cut at the window's width; for a pipe: tab-separated, without
 * heading, nothing cut. Cells are sanitized, so that each row stays one line.
 */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  layout: TableLayout,
): string {
  const cells = rows.map((row) => row.map(sanitizeLine));
  if (!layout.isTerminal) return cells.map((row) => `${row.join('\t')}\n`).join('');
  const widths = columns.map((column, index) =>
    Math.max(displayWidth(column.heading), ...cells.map((row) => displayWidth(row[index] ?? ''))),
  );
  const line = (row: readonly string[]) => {
    const padded = columns.map((column, index) =>
      pad(row[index] ?? '', widths[index] ?? 0, column.align),
    );
    return truncateToWidth(padded.join(gap).trimEnd(), layout.width);
  };
  const heading = layout.style.bold(line(columns.map((column) => column.heading)));
  return [heading, ...cells.map(line)].map((text) => `${text}\n`).join('');
}
