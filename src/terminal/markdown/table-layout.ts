import { displayWidth, padToWidth, type Alignment } from '../text/width.ts';
import { paintSpans, visibleText, type Span } from './span.ts';
import type { Style } from '../style.ts';
import { wrapSpans } from './wrap.ts';

export type Cell = readonly Span[];

export interface TableFrame {
  readonly style: Style;
  readonly unicode: boolean;
  readonly align: readonly Alignment[];
  /** Absent when it was already shown as text. */
  readonly header: readonly Cell[] | undefined;
}

/** Column widths, or undefined when the columns would be too narrow to read. */
export type ColumnWidths = readonly number[] | undefined;

const SEPARATOR = 3;
/** A column is not made narrower than this: words would be cut on every line. */
const NARROWEST = 8;

/** Natural widths where they fit; otherwise the widest columns give way first. */
export function columnWidths(rows: readonly (readonly Cell[])[], available: number): ColumnWidths {
  const natural: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      natural[column] = Math.max(natural[column] ?? 1, cellWidth(cell));
    }
  }
  const budget = available - SEPARATOR * (natural.length - 1);
  const limited = (limit: number) => natural.map((width) => Math.min(width, limit));
  if (sum(limited(NARROWEST)) > budget) return undefined;
  let widest = Math.max(budget, NARROWEST);
  while (widest > NARROWEST && sum(limited(widest)) > budget) widest -= 1;
  return limited(widest);
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}

function cellWidth(cell: Cell): number {
  return Math.max(0, ...visibleText(cell).split('\n').map(displayWidth));
}

/** The header and the line under it. */
export function headLines(frame: TableFrame, widths: ColumnWidths): string[] {
  if (!widths) return [];
  const { header, style, unicode } = frame;
  const bold = header?.map((cell) =>
    cell.map((span) => ({ ...span, looks: [...span.looks, 'bold' as const] })),
  );
  const dash = unicode ? '─' : '-';
  const rule = widths.map((width) => dash.repeat(width)).join(unicode ? '─┼─' : '-+-');
  return [...(bold ? rowLines(frame, widths, bold) : []), style.dim(rule)];
}

/** One row: lines of aligned cells, or `header: value` lines when there are no widths. */
export function rowLines(frame: TableFrame, widths: ColumnWidths, row: readonly Cell[]): string[] {
  if (!widths) return recordLines(frame, row);
  const cells = widths.map((width, column) => wrapSpans(row[column] ?? [], width));
  const height = Math.max(...cells.map((lines) => lines.length));
  const separator = ` ${frame.style.dim(frame.unicode ? '│' : '|')} `;
  return Array.from({ length: height }, (_, line) =>
    widths
      .map((width, column) => {
        const spans = cells[column]?.[line] ?? [];
        const last = column === widths.length - 1;
        return padded(frame, spans, width, frame.align[column] ?? 'left', last);
      })
      .join(separator),
  );
}

function padded(
  { style }: TableFrame,
  spans: Cell,
  width: number,
  align: Alignment,
  last: boolean,
): string {
  const text = padToWidth(paintSpans(spans, style), width, align);
  return last ? text.trimEnd() : text;
}

function recordLines({ header, style }: TableFrame, row: readonly Cell[]): string[] {
  const lines = row.map((cell, column) => {
    const name = visibleText(header?.[column] ?? []).replaceAll('\n', ' ');
    const value = paintSpans(cell, style).replaceAll('\n', ' ');
    return name === '' ? value : `${style.bold(`${name}:`)} ${value}`;
  });
  return [...lines, ''];
}
