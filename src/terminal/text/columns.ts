import { createTextColumn } from './text-column.ts';
import { padToWidth } from './width.ts';

/** Texts side by side. */
export interface Columns {
  write(index: number, text: string): void;
  end(index: number): void;
  /** The rows that no further text can change: as far as the slowest column has come. */
  takeRows(window: number): readonly string[];
  /** The rows that come next, as they are now; at most so many. */
  preview(window: number, rows: number): readonly string[];
}

/** Columns that a separator takes. */
const separatorWidth = 3;

/** The width of each of `count` columns in a window; its last column stays free, so that no row is wrapped. */
export function columnWidth(window: number, count: number): number {
  return Math.max(1, Math.floor((window - 1 - separatorWidth * (count - 1)) / count));
}

/** One row of cells, padded to the column's width but not truncated. */
export function joinCells(cells: readonly string[], width: number, separator: string): string {
  const filled = cells.map((cell, index) =>
    index === cells.length - 1 ? cell : padToWidth(cell, width),
  );
  return filled.join(separator).trimEnd();
}

export function createColumns(count: number, separator: string): Columns {
  const columns = Array.from({ length: count }, createTextColumn);
  const hasRow = (width: number) =>
    columns.every((column) => column.hasRow(width) || column.isDone()) &&
    columns.some((column) => !column.isDone());
  return {
    write: (index, text) => columns[index]?.write(text),
    end: (index) => columns[index]?.end(),
    takeRows(window) {
      const width = columnWidth(window, count);
      const rows: string[] = [];
      while (hasRow(width)) {
        const cells = columns.map((column) => column.take(width) ?? '');
        rows.push(joinCells(cells, width, separator));
      }
      return rows;
    },
    preview(window, rows) {
      const width = columnWidth(window, count);
      const cells = columns.map((column) => column.preview(width, rows));
      const height = Math.max(...cells.map((column) => column.length));
      return Array.from({ length: height }, (_, row) =>
        joinCells(
          cells.map((column) => column[row] ?? ''),
          width,
          separator,
        ),
      );
    },
  };
}
