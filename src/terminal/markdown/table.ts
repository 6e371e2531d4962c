import { displayWidth, padToWidth, type Alignment } from '../text/width.ts';
import { wrapText } from '../text/wrap.ts';
import {
  inlineText,
  mapFormulas,
  type MarkdownLook,
  mergeSpans,
  paintSpans,
  visibleText,
  type Span,
} from './inline.ts';
import { Paragraph, type ReadPiece } from './paragraph.ts';

/** Beyond either, the rows so far decide the widths, and further rows are shown as they arrive. */
const MAX_ROWS = 500;
const MAX_TEXT = 64 * 1024;

/** Undefined if the columns would be too narrow to read. */
type ColumnWidths = readonly number[] | undefined;

/** A table that is laid out when it ends, or when it becomes too long. */
export class Table {
  readonly #look: MarkdownLook;
  readonly #width: () => number;
  readonly #source: readonly string[];
  readonly #align: readonly Alignment[];
  /** Undefined if it was already shown as text. */
  readonly #header: readonly Cell[] | undefined;
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
    this.#source = [header ?? '', delimiter];
    this.#align = splitCells(delimiter).map(alignmentOf);
    this.#header = header === undefined ? undefined : this.#cellsOf(header);
  }

  /** The lines that can be shown; none until the layout is decided. */
  add(row: string): string[] {
    if (!this.#waiting) return this.#linesOf(this.#cellsOf(row));
    this.#waiting.push(row);
    this.#size += row.length;
    return this.#waiting.length >= MAX_ROWS || this.#size >= MAX_TEXT ? this.end() : [];
  }

  end(): string[] {
    if (!this.#waiting) return [];
    const rows = this.#waiting.map((row) => this.#cellsOf(row));
    this.#waiting = undefined;
    const header = this.#header ?? [];
    this.#widths = columnWidths([header, ...rows], Math.max(1, this.#width()));
    if (rows.length === 0 && !this.#widths && this.#header) return this.#recordOf(header, []);
    return [...this.#headLines(), ...rows.flatMap((row) => this.#linesOf(row))];
  }

  undecided(): string {
    return this.#waiting ? [...this.#source, ...this.#waiting].join('\n') : '';
  }

  #cellsOf(row: string): Cell[] {
    return splitCells(row).map((cell) => readCell(cell, this.#look));
  }

  /** The header and the line under it. */
  #headLines(): string[] {
    if (!this.#widths) return [];
    const { style, unicode } = this.#look;
    const bold = this.#header?.map((cell) =>
      cell.map((span) => ({ ...span, looks: [...span.looks, 'bold' as const] })),
    );
    const dash = unicode ? '─' : '-';
    const rule = this.#widths.map((width) => dash.repeat(width)).join(unicode ? '─┼─' : '-+-');
    return [...(bold ? this.#linesOf(bold) : []), style.dim(rule)];
  }

  /** One row: lines of aligned cells, or `header: value` lines if there are no widths. */
  #linesOf(row: readonly Cell[]): string[] {
    const widths = this.#widths;
    if (!widths) return this.#recordOf(row, this.#header ?? []);
    const { style, unicode } = this.#look;
    const separator = ` ${style.dim(unicode ? '│' : '|')} `;
    const cells = widths.map((width, column) =>
      wrapText(paintSpans(row[column] ?? [], style), width).map((line) =>
        padToWidth(line, width, this.#align[column]),
      ),
    );
    const height = Math.max(...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) => {
      const parts = widths.map((width, column) => cells[column]?.[line] ?? ' '.repeat(width));
      return [...parts.slice(0, -1), parts.at(-1)?.trimEnd()].join(separator);
    });
  }

  #recordOf(row: readonly Cell[], names: readonly Cell[]): string[] {
    const { style } = this.#look;
    const lines = row.map((cell, column) => {
      const name = visibleText(names[column] ?? []).replaceAll('\n', ' ');
      const value = paintSpans(cell, style).replaceAll('\n', ' ');
      return name === '' ? value : `${style.bold(`${name}:`)} ${value}`;
    });
    return [...lines, ''];
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
const readBars: ReadPiece<string> = (source, formulas = []) => [
  mapFormulas(
    source,
    formulas,
    (formula) => formula,
    (text) => text.replaceAll('\\|', '|'),
  ),
];

function withBars(cell: string): string {
  return cell.includes('\\|') ? new Paragraph(readBars).whole(cell).join('') : cell;
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
