import type { Style } from '../style.ts';
import { displayWidth, padToWidth, type Alignment } from '../text/width.ts';
import { wrapText } from '../text/wrap.ts';
import { type InlineOptions, inlineText } from './inline.ts';
import { endScan, scan, initialScan } from './inline-scanner.ts';
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
  const cellsOf = (row: string): Cell[] => splitCells(row).map((cell) => readCell(cell, inline));
  const frame = {
    style,
    unicode,
    separator: ` ${style.dim(unicode ? '│' : '|')} `,
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

const escapesBar = /(?:^|[^\\])(?:\\\\)*\\$/;

/** The cells of a row, split at bars that are not escaped (GFM 4.10). In a formula, an escaped bar stays as written. */
export function splitCells(row: string): string[] {
  const cells: string[] = [];
  let cell = '';
  for (const part of row.trim().split('|')) {
    if (part.endsWith('\\') && escapesBar.test(part)) cell += `${part}|`;
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
  const scanned = initialScan();
  scan(scanned, cell);
  endScan(scanned);
  let text = '';
  let at = 0;
  for (const { from, to } of scanned.formulas) {
    text += cell.slice(at, from).replaceAll('\\|', '|') + cell.slice(from, to);
    at = to;
  }
  return text + cell.slice(at).replaceAll('\\|', '|');
}

function alignmentOf(cell: string): Alignment {
  if (!cell.endsWith(':')) return 'left';
  return cell.startsWith(':') ? 'center' : 'right';
}

interface Cell {
  readonly spans: readonly Span[];
  /** Columns of its widest line. */
  readonly width: number;
  /** It has only one line. */
  readonly isLine: boolean;
}

const emptyCell: Cell = { spans: [], width: 0, isLine: true };

function readCell(source: string, inline: InlineOptions): Cell {
  const spans = cellSpans(source, inline);
  const text = visibleText(spans);
  const isLine = !text.includes('\n');
  const width = isLine ? displayWidth(text) : Math.max(...text.split('\n').map(displayWidth));
  return { spans, width, isLine };
}

const breakTag = /^<br ?\/?>$/i;

/** A cell is one line of source, so `<br>` is the usual line break in it. */
function cellSpans(source: string, inline: InlineOptions): readonly Span[] {
  const spans = inlineText(source, inline);
  if (spans.length === 1 && !source.includes('<') && !source.includes('\t')) return spans;
  const broken = spans.map((span) => (breakTag.test(span.text) ? { ...span, text: '\n' } : span));
  return mergeSpans(broken).map((span) => ({
    ...span,
    text: span.text.replaceAll(/[ \t]*\n[ \t]*/g, '\n').replaceAll('\t', ' '),
  }));
}

interface TableFrame {
  readonly style: Style;
  /** Between the cells of a row. */
  readonly separator: string;
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
      natural[column] = Math.max(natural[column] ?? 1, cell.width);
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

/** The header and the line under it. */
function headLines(frame: TableFrame, widths: ColumnWidths): string[] {
  if (!widths) return [];
  const { header, style, unicode } = frame;
  const bold = header?.map((cell) => {
    const spans = cell.spans.map((span) => ({ ...span, looks: [...span.looks, 'bold' as const] }));
    return { ...cell, spans };
  });
  const dash = unicode ? '─' : '-';
  const rule = widths.map((width) => dash.repeat(width)).join(unicode ? '─┼─' : '-+-');
  return [...(bold ? rowLines(frame, widths, bold) : []), style.dim(rule)];
}

/** One row: lines of aligned cells, or `header: value` lines if there are no widths. */
function rowLines(frame: TableFrame, widths: ColumnWidths, row: readonly Cell[]): string[] {
  if (!widths) return recordLines(frame, row);
  const { style, align, separator } = frame;
  const cells = widths.map((width, column) =>
    cellLines(row[column] ?? emptyCell, width, style, align[column]),
  );
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    let text = '';
    for (const [column, width] of widths.entries()) {
      const cell = cells[column]?.[line] ?? ' '.repeat(width);
      text += column === widths.length - 1 ? cell.trimEnd() : cell + separator;
    }
    return text;
  });
}

/** The lines of a cell, each as wide as its column. */
function cellLines(cell: Cell, width: number, style: Style, align?: Alignment): readonly string[] {
  const painted = paintSpans(cell.spans, style);
  if (cell.isLine && cell.width <= width) return [padToWidth(painted, width, align, cell.width)];
  return wrapText(painted, width).map((line) => padToWidth(line, width, align));
}

function recordLines({ header, style }: TableFrame, row: readonly Cell[]): string[] {
  const lines = row.map((cell, column) => {
    const name = visibleText(header?.[column]?.spans ?? []).replaceAll('\n', ' ');
    const value = paintSpans(cell.spans, style).replaceAll('\n', ' ');
    return name === '' ? value : `${style.bold(`${name}:`)} ${value}`;
  });
  return [...lines, ''];
}
