import type { Style } from '../style.ts';
import { displayWidth, padToWidth, type Alignment } from '../text/width.ts';
import { wrapText } from '../text/wrap.ts';
import type { InlineOptions } from './inline.ts';
import { createInlineScanner } from './inline-scanner.ts';
import { inlineText } from './inline-text.ts';
import { mergeSpans, paintSpans, visibleText, type Span } from './span.ts';

/** A table that is laid out when it ends, or when it becomes too long. */
export interface Table {
  /** The lines that can be shown; none until the layout is decided. */
  add(row: string): string[];
  end(): string[];
  undecided(): string;
}

export interface TableOptions {
  readonly style: Style;
  readonly unicode: boolean;
  readonly inline: InlineOptions;
  /** Available columns, read when the table is laid out. */
  readonly width: () => number;
  /** Undefined if it was already shown as text. */
  readonly header: string | undefined;
  readonly delimiter: string;
}

/** Beyond either, the rows so far decide the widths, and further rows are shown as they arrive. */
const MAX_ROWS = 500;
const MAX_TEXT = 64 * 1024;

export function createTable(options: TableOptions): Table {
  const { style, unicode, inline, header, delimiter } = options;
  const align = splitCells(delimiter).map(alignmentOf);
  const cellsOf = (row: string): Cell[] => splitCells(row).map((cell) => cellSpans(cell, inline));
  const frame = {
    style,
    unicode,
    align,
    header: header === undefined ? undefined : cellsOf(header),
  };
  let waiting: string[] | undefined = [];
  let size = 0;
  let widths: ColumnWidths;

  function layOut(): string[] {
    const rows = (waiting ?? []).map(cellsOf);
    waiting = undefined;
    const head = frame.header ?? [];
    widths = columnWidths([head, ...rows], Math.max(1, options.width()));
    const lines = [
      ...headLines(frame, widths),
      ...rows.flatMap((row) => rowLines(frame, widths, row)),
    ];
    return lines.length > 0 || !frame.header
      ? lines
      : rowLines({ ...frame, header: undefined }, widths, head);
  }

  return {
    add(row) {
      if (!waiting) return rowLines(frame, widths, cellsOf(row));
      waiting.push(row);
      size += row.length;
      return waiting.length >= MAX_ROWS || size >= MAX_TEXT ? layOut() : [];
    },
    end: () => (waiting ? layOut() : []),
    undecided: () => (waiting ? [header ?? '', delimiter, ...waiting].join('\n') : ''),
  };
}

/** The cells of a row, split at bars that are not escaped (GFM 4.10). In a formula, an escaped bar stays as written. */
export function splitCells(row: string): string[] {
  const cells: string[] = [];
  let cell = '';
  for (const part of row.trim().split('|')) {
    if (/(?:^|[^\\])(?:\\\\)*\\$/.test(part)) cell += `${part}|`;
    else {
      cells.push(withBars((cell + part).trim()));
      cell = '';
    }
  }
  if (cell !== '') cells.push(withBars(cell.trim()));
  if (cells[0] === '' && cells.length > 1) cells.shift();
  if (cells.at(-1) === '' && cells.length > 1) cells.pop();
  return cells;
}

/** `\|` is a bar, except in a formula. */
function withBars(cell: string): string {
  if (!cell.includes('\\|')) return cell;
  const scanner = createInlineScanner();
  let text = '';
  for (const segment of [...scanner.write(cell), ...scanner.end()]) {
    let at = 0;
    for (const { from, to } of segment.formulas) {
      text += segment.text.slice(at, from).replaceAll('\\|', '|') + segment.text.slice(from, to);
      at = to;
    }
    text += segment.text.slice(at).replaceAll('\\|', '|');
  }
  return text;
}

function alignmentOf(cell: string): Alignment {
  if (!cell.endsWith(':')) return 'left';
  return cell.startsWith(':') ? 'center' : 'right';
}

/** A cell is one line of source, so `<br>` is the usual line break in it. */
function cellSpans(cell: string, inline: InlineOptions): Span[] {
  const spans = inlineText(cell, inline).map((span) =>
    /^<br ?\/?>$/i.test(span.text) ? { ...span, text: '\n' } : span,
  );
  return mergeSpans(spans).map((span) => ({
    ...span,
    text: span.text.replaceAll(/[ \t]*\n[ \t]*/g, '\n').replaceAll('\t', ' '),
  }));
}

type Cell = readonly Span[];

interface TableFrame {
  readonly style: Style;
  readonly unicode: boolean;
  readonly align: readonly Alignment[];
  /** Undefined if it was already shown as text. */
  readonly header: readonly Cell[] | undefined;
}

/** Undefined if the columns would be too narrow to read. */
type ColumnWidths = readonly number[] | undefined;

const SEPARATOR = 3;
/** In a narrower column, words would be cut on every line. */
const MIN_COLUMN = 8;

/** Natural widths if they fit; otherwise the widest columns are narrowed first. */
function columnWidths(rows: readonly (readonly Cell[])[], available: number): ColumnWidths {
  const natural: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      natural[column] = Math.max(natural[column] ?? 1, cellWidth(cell));
    }
  }
  const budget = available - SEPARATOR * (natural.length - 1);
  const limited = (limit: number) => natural.map((width) => Math.min(width, limit));
  if (sum(limited(MIN_COLUMN)) > budget) return undefined;
  let widest = Math.max(budget, MIN_COLUMN);
  while (widest > MIN_COLUMN && sum(limited(widest)) > budget) widest -= 1;
  return limited(widest);
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}

function cellWidth(cell: Cell): number {
  return Math.max(0, ...visibleText(cell).split('\n').map(displayWidth));
}

/** The header and the line under it. */
function headLines(frame: TableFrame, widths: ColumnWidths): string[] {
  if (!widths) return [];
  const { header, style, unicode } = frame;
  const bold = header?.map((cell) =>
    cell.map((span) => ({ ...span, looks: [...span.looks, 'bold' as const] })),
  );
  const dash = unicode ? '─' : '-';
  const rule = widths.map((width) => dash.repeat(width)).join(unicode ? '─┼─' : '-+-');
  return [...(bold ? rowLines(frame, widths, bold) : []), style.dim(rule)];
}

/** One row: lines of aligned cells, or `header: value` lines if there are no widths. */
function rowLines(frame: TableFrame, widths: ColumnWidths, row: readonly Cell[]): string[] {
  if (!widths) return recordLines(frame, row);
  const cells = widths.map((width, column) =>
    wrapText(paintSpans(row[column] ?? [], frame.style), width),
  );
  const height = Math.max(...cells.map((lines) => lines.length));
  const separator = ` ${frame.style.dim(frame.unicode ? '│' : '|')} `;
  return Array.from({ length: height }, (_, line) =>
    widths
      .map((width, column) => {
        const text = padToWidth(cells[column]?.[line] ?? '', width, frame.align[column]);
        return column === widths.length - 1 ? text.trimEnd() : text;
      })
      .join(separator),
  );
}

function recordLines({ header, style }: TableFrame, row: readonly Cell[]): string[] {
  const lines = row.map((cell, column) => {
    const name = visibleText(header?.[column] ?? []).replaceAll('\n', ' ');
    const value = paintSpans(cell, style).replaceAll('\n', ' ');
    return name === '' ? value : `${style.bold(`${name}:`)} ${value}`;
  });
  return [...lines, ''];
}
