import type { Style } from '../style.ts';
import { displayWidth, padToWidth, type Alignment } from '../text/width.ts';
import { wrapText } from '../text/wrap.ts';
import { inlineText } from './inline.ts';
import { endScan, scan, initialScan } from './inline-scanner.ts';
import { type MarkdownLook, mergeSpans, paintSpans, visibleText, type Span } from './span.ts';

/** Beyond either, the rows so far decide the widths, and further rows are shown as they arrive. */
const MAX_ROWS = 500;
const MAX_TEXT = 64 * 1024;

/** A table that is laid out when it ends, or when it becomes too long. */
export class Table {
  readonly #look: MarkdownLook;
  readonly #width: () => number;
  readonly #header: string | undefined;
  readonly #delimiter: string;
  readonly #frame: TableFrame;
  /** The rows before the layout is decided. */
  #waiting: string[] | undefined = [];
  #size = 0;
  #widths: ColumnWidths;

  /**
   * @param width available columns, read when the table is laid out
   * @param header undefined if it was already shown as text
   */
  constructor(
    look: MarkdownLook,
    width: () => number,
    header: string | undefined,
    delimiter: string,
  ) {
    this.#look = look;
    this.#width = width;
    this.#header = header;
    this.#delimiter = delimiter;
    const align = splitCells(delimiter).map(alignmentOf);
    const shown = header === undefined ? undefined : this.#cellsOf(header);
    this.#frame = { ...look, align, header: shown };
  }

  /** The lines that can be shown; none until the layout is decided. */
  add(row: string): string[] {
    if (!this.#waiting) return rowLines(this.#frame, this.#widths, this.#cellsOf(row));
    this.#waiting.push(row);
    this.#size += row.length;
    return this.#waiting.length >= MAX_ROWS || this.#size >= MAX_TEXT ? this.end() : [];
  }

  end(): string[] {
    if (!this.#waiting) return [];
    const rows = this.#waiting.map((row) => this.#cellsOf(row));
    this.#waiting = undefined;
    const { header = [] } = this.#frame;
    this.#widths = columnWidths([header, ...rows], Math.max(1, this.#width()));
    const lines = [
      ...headLines(this.#frame, this.#widths),
      ...rows.flatMap((row) => rowLines(this.#frame, this.#widths, row)),
    ];
    return lines.length > 0 || !this.#frame.header
      ? lines
      : rowLines({ ...this.#frame, header: undefined }, this.#widths, header);
  }

  undecided(): string {
    if (!this.#waiting) return '';
    return [this.#header ?? '', this.#delimiter, ...this.#waiting].join('\n');
  }

  #cellsOf(row: string): Cell[] {
    return splitCells(row).map((cell) => readCell(cell, this.#look));
  }
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

type Cell = readonly Span[];

/** Columns of the widest line of a cell. */
const widthOf = (cell: Cell) => Math.max(...visibleText(cell).split('\n').map(displayWidth));

const breakTag = /^<br ?\/?>$/i;

/** A cell is one line of source, so `<br>` is the usual line break in it. */
function readCell(source: string, look: MarkdownLook): Cell {
  const spans = inlineText(source, look);
  const broken = spans.map((span) => (breakTag.test(span.text) ? { ...span, text: '\n' } : span));
  return mergeSpans(broken).map((span) => ({
    ...span,
    text: span.text.replaceAll(/[ \t]*\n[ \t]*/g, '\n').replaceAll('\t', ' '),
  }));
}

interface TableFrame extends MarkdownLook {
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
      natural[column] = Math.max(natural[column] ?? 1, widthOf(cell));
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
  const { style, align, unicode } = frame;
  const separator = ` ${style.dim(unicode ? '│' : '|')} `;
  const cells = widths.map((width, column) =>
    cellLines(row[column] ?? [], width, style, align[column]),
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
  return wrapText(paintSpans(cell, style), width).map((line) => padToWidth(line, width, align));
}

function recordLines({ header, style }: TableFrame, row: readonly Cell[]): string[] {
  const lines = row.map((cell, column) => {
    const name = visibleText(header?.[column] ?? []).replaceAll('\n', ' ');
    const value = paintSpans(cell, style).replaceAll('\n', ' ');
    return name === '' ? value : `${style.bold(`${name}:`)} ${value}`;
  });
  return [...lines, ''];
}
