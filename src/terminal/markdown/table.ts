import { displayWidth, padToWidth } from '../text/width.ts';
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

/**
 * A table that is laid out when it ends, or when it becomes too long.
 * @param available columns, read when the table is laid out
 * @param header undefined if it was already shown as text
 */
export function createTable(
  look: MarkdownLook,
  available: () => number,
  header: string | undefined,
  delimiter: string,
) {
  const { style, unicode } = look;
  const cellsOf = (row: string) => splitCells(row).map((cell) => readCell(cell, look));
  const align = splitCells(delimiter).map(alignmentOf);
  const names = header === undefined ? [] : cellsOf(header);
  const [dash, cross, bar] = unicode ? ['─', '─┼─', '│'] : ['-', '-+-', '|'];
  const separator = ` ${style.dim(bar)} `;
  /** The rows before the layout is decided. */
  let waiting: string[] | undefined = [];
  let size = 0;
  /** Undefined if the columns would be too narrow to read. */
  let widths: readonly number[] | undefined;

  /** `header: value` lines. */
  const recordOf = (row: readonly Cell[], labels = names): string[] => {
    const lines = row.map((cell, column) => {
      const name = visibleText(labels[column] ?? []).replaceAll('\n', ' ');
      const value = paintSpans(cell, style).replaceAll('\n', ' ');
      return name === '' ? value : `${style.bold(`${name}:`)} ${value}`;
    });
    return [...lines, ''];
  };
  /** One row: lines of aligned cells, or a record if there are no widths. */
  const linesOf = (row: readonly Cell[]): string[] => {
    if (widths === undefined) return recordOf(row);
    const cells = widths.map((width, column) =>
      wrapText(paintSpans(row[column] ?? [], style), width).map((line) =>
        padToWidth(line, width, align[column]),
      ),
    );
    const height = Math.max(...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) => {
      const parts = cells.map((lines, column) => lines[line] ?? ' '.repeat(widths?.[column] ?? 0));
      return [...parts.slice(0, -1), parts.at(-1)?.trimEnd()].join(separator);
    });
  };
  const headLines = (): string[] => {
    if (widths === undefined) return [];
    const bold = names.map((cell) =>
      cell.map((span) => ({ ...span, looks: [...span.looks, 'bold' as const] })),
    );
    const rule = widths.map((width) => dash.repeat(width)).join(cross);
    return [...(header === undefined ? [] : linesOf(bold)), style.dim(rule)];
  };
  const end = (): string[] => {
    if (waiting === undefined) return [];
    const rows = waiting.map(cellsOf);
    waiting = undefined;
    widths = columnWidths([names, ...rows], Math.max(1, available()));
    if (rows.length === 0 && widths === undefined) return recordOf(names, []);
    return [...headLines(), ...rows.flatMap(linesOf)];
  };
  return {
    /** The lines that can be shown; none until the layout is decided. */
    add(row: string): string[] {
      if (waiting === undefined) return linesOf(cellsOf(row));
      waiting.push(row);
      size += row.length;
      return waiting.length >= MAX_ROWS || size >= MAX_TEXT ? end() : [];
    },
    end,
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
const readBars: ReadPiece<string> = (source, formulas = []) => {
  const withBar = (text: string) => text.replaceAll('\\|', '|');
  return [mapFormulas(source, formulas, (formula) => formula, withBar)];
};

function withBars(cell: string): string {
  return cell.includes('\\|') ? new Paragraph(readBars).whole(cell).join('') : cell;
}

function alignmentOf(cell: string) {
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

const sum = (widths: readonly number[]) => widths.reduce((total, width) => total + width, 0);

/** Natural widths if they fit; otherwise the widest columns are narrowed first. */
function columnWidths(rows: readonly (readonly Cell[])[], available: number) {
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
