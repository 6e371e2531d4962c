import { padToWidth } from './width.ts';
import { lineStart, rowFrom, rowsFrom, type RowStart } from './wrap.ts';

const tab = '    ';

/** Text that arrives in pieces and is taken row by row, at the current width. */
interface TextColumn {
  /** Styled text; each line closes its styles. */
  write(text: string): void;
  /** No more text follows. */
  end(): void;
  /** Further text cannot change the next row. */
  hasRow(width: number): boolean;
  take(width: number): string | undefined;
  /** The next rows as they are now. */
  preview(width: number, rows: number): readonly string[];
  /** The text has ended, and every row was taken. */
  isDone(): boolean;
}

interface Line {
  text: string;
  start: RowStart;
}

const newLine = (): Line => ({ text: '', start: lineStart });
const isEmpty = ({ text, start }: Line) => start.open === '' && text.length <= start.at;
/** UTF-16 units that are discarded together. */
const forgotten = 10_000;

function forget(line: Line): void {
  const { at, open } = line.start;
  if (at < forgotten) return;
  line.text = line.text.slice(at);
  line.start = { at: 0, open };
}

export function createTextColumn(): TextColumn {
  const lines = [newLine()];
  let isOver = false;
  const isWhole = (line: Line | undefined, width: number) =>
    line !== undefined && rowFrom(line.text, line.start, width).next !== undefined;
  return {
    write(text) {
      for (const [index, part] of text.replaceAll('\t', tab).split('\n').entries()) {
        if (index > 0) lines.push(newLine());
        const last = lines.at(-1);
        if (last !== undefined) last.text += part;
      }
    },
    end() {
      isOver = true;
      const last = lines.at(-1);
      if (last !== undefined && isEmpty(last)) lines.pop();
    },
    hasRow: (width) =>
      lines.length > 1 || (lines.length > 0 && (isOver || isWhole(lines[0], width))),
    take(width) {
      const [line] = lines;
      if (line === undefined) return undefined;
      const { text, next } = rowFrom(line.text, line.start, width);
      if (next === undefined) lines.shift();
      else line.start = next;
      forget(line);
      return text;
    },
    preview(width, rows) {
      const found: string[] = [];
      for (const line of lines) {
        if (found.length >= rows) break;
        found.push(...rowsFrom(line.text, line.start, width, 'words', rows - found.length));
      }
      return found;
    },
    isDone: () => isOver && lines.length === 0,
  };
}

export interface Columns {
  write(index: number, text: string): void;
  end(index: number): void;
  /** The rows that no further text can change, up to the end of the slowest column. */
  takeRows(window: number): readonly string[];
  /** The next rows as they are now, at most `rows`. */
  preview(window: number, rows: number): readonly string[];
}

/** In columns of the terminal. */
const separatorWidth = 3;

/** The width of each of `count` columns in a window. The window's last column stays free, so that no row wraps. */
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
