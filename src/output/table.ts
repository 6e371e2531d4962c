import { sanitizeLine } from '../terminal/safety/sanitizer.ts';
import type { Style } from '../terminal/style.ts';
import { displayWidth, padToWidth, truncateToWidth } from '../terminal/text/width.ts';

export interface Column {
  readonly heading: string;
  readonly align?: 'left' | 'right';
  /** Omitted if the window is too narrow for all columns. */
  readonly isSpare?: boolean;
}

export interface TableLayout {
  readonly isTerminal: boolean;
  readonly width: number;
  readonly style: Style;
}

const gap = '  ';

/** Minimum width of the last column before others shrink. */
const roomForLast = 20;

/**
 * Rows for a terminal: aligned under a heading, without empty columns, cut at the window's width. For a pipe:
 * tab-separated, without a heading, nothing cut or omitted. Cells are sanitized, so that each row is one line.
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
  const last = columns.length - 1;
  const hasText = (index: number) => cells.some((row) => (row[index] ?? '') !== '');
  let shown = [...columns.keys()].filter((index) => index === 0 || hasText(index));
  const needed = () =>
    shown.reduce((sum, index) => {
      const width = widths[index] ?? 0;
      return sum + gap.length + (index === last ? Math.min(width, roomForLast) : width);
    }, -gap.length);
  for (let index = last; index > 0 && needed() > layout.width; index -= 1) {
    if (columns[index]?.isSpare === true) shown = shown.filter((kept) => kept !== index);
  }
  const line = (row: readonly string[]) => {
    const padded = shown.map((index) =>
      padToWidth(row[index] ?? '', widths[index] ?? 0, columns[index]?.align),
    );
    return truncateToWidth(padded.join(gap).trimEnd(), layout.width);
  };
  const heading = layout.style.bold(line(columns.map((column) => column.heading)));
  return [heading, ...cells.map(line)].map((text) => `${text}\n`).join('');
}

/** A table for a screen reader: a line for each row, its first cell, then the other ones with their headings. */
export function spokenRows(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string {
  const lines = rows.map(([first = '', ...others]) => {
    const facts = others.flatMap((cell, index) =>
      cell === '' ? [] : [`${(columns[index + 1]?.heading ?? '').toLowerCase()} ${cell}`],
    );
    const cells = first === '' ? facts : [first, ...facts];
    return sanitizeLine(cells.join(', '));
  });
  return lines.map((line) => `${line}\n`).join('');
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of at least the smallest step, if there is anything to show; of `#` without Unicode. */
export function bar(part: number, whole: number, room: number, unicode: boolean): string {
  if (part === 0) return '';
  const length = (part / whole) * room;
  if (!unicode) return '#'.repeat(Math.max(1, Math.round(length)));
  const steps = Math.max(1, Math.round(length * 8));
  return '█'.repeat(Math.floor(steps / 8)) + (eighths[steps % 8] ?? '');
}
