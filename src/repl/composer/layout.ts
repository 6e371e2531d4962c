import type { Draft, TextBuffer } from './text-buffer.ts';
import { displayWidth, graphemes, truncateToWidth } from '../../terminal/text/width.ts';
import { isBreak, type Character } from '../../terminal/text/wrap.ts';
import { boundaryFrom, lineEnd, lineStart } from './grapheme-boundary.ts';
import { isPasteMarker, pasteLabel, type Paste } from './paste.ts';

/** Columns of the mark in front of the composer's rows. */
export const composerMarkColumns = 2;

export function composerColumns(columns: number): number {
  return Math.max(1, columns - composerMarkColumns);
}

export function composerRows(rows: number): number {
  return Math.max(1, Math.min(10, Math.floor(rows / 2)));
}

export function pageRows(rows: number): number {
  return Math.max(1, composerRows(rows) - 1);
}

function columnOf({ cells }: VisualRow, offset: number): number {
  return cells.reduce((column, cell) => (cell.offset < offset ? column + cell.width : column), 0);
}

/** Also without colours. */
const inverted = (text: string) => `\u001B[7m${text}\u001B[27m`;

/** Lays out at most `height` rows around the caret; only lines near it are laid out, so the time does not grow with the text. */
export function layout(
  draft: Draft,
  columns: number,
  height = Number.POSITIVE_INFINITY,
  /** The selected text: it starts at `from` and ends before `to`. */
  { from, to }: { readonly from: number; readonly to: number } = { from: 0, to: 0 },
) {
  const { text, cursor } = draft;
  const { rows, index, width } = rowsAround(draft, columns, height);
  const half = Math.ceil((height - 1) / 2);
  const first = Math.max(0, Math.min(index - half, rows.length - height));
  const shown = rows.slice(first, first + height);
  const isSelected = (offset: number) => from <= offset && offset < to;
  return {
    rows: shown.map(({ cells, end }) => {
      // A space at a wrap that exceeds the width is not drawn, because the renderer would truncate the row.
      const used = cells.reduce((sum, cell) => sum + cell.width, 0);
      const isHanging = used > width && cells.at(-1)?.text === ' ';
      const drawn = (isHanging ? cells.slice(0, -1) : cells).map((cell) =>
        isSelected(cell.offset) ? inverted(cell.text) : cell.text,
      );
      // A selected line end is a column, if the row has space for it.
      const isEnd = text.charAt(end) === '\n' && isSelected(end) && used < width;
      return drawn.join('') + (isEnd ? inverted(' ') : '');
    }),
    cursorRow: index - first,
    cursorColumn: columnOf(rows[index] ?? noRow, cursor),
    hasMoreAbove: (shown[0] ?? noRow).start > 0,
    hasMoreBelow: (shown.at(-1) ?? noRow).end < text.length,
  };
}

/** The offset in a row for a column: before the character that covers it. */
function offsetAt(text: string, row: VisualRow, column: number): number {
  let used = 0;
  for (const cell of row.cells) {
    used += cell.width;
    if (used > column) return cell.offset;
  }
  const endsLine = row.end === text.length || text.charAt(row.end) === '\n';
  // The end of a wrapped row is the start of the next one.
  return endsLine ? row.end : (row.cells.at(-1)?.offset ?? row.end);
}

/** A longer line is several rows for `j` and `k` of vi, because laying it out whole would be slow. */
const lineColumns = 5000;

/** Keeps the caret's column; undefined beyond the first and last row. Without `columns`, rows are lines. */
export function moveVertically(
  buffer: TextBuffer,
  rows: number,
  columns = lineColumns,
): TextBuffer | undefined {
  const found = rowsAround(buffer, columns, Math.abs(rows));
  const index = Math.min(Math.max(0, found.index + rows), found.rows.length - 1);
  const [start, target] = [found.rows[found.index], found.rows[index]];
  if (start === undefined || target === undefined) return undefined;
  if (rows !== 0 && target === start) return undefined;
  const preferredColumn = buffer.preferredColumn ?? columnOf(start, buffer.cursor);
  const cursor = offsetAt(buffer.text, target, preferredColumn);
  return { ...buffer, cursor, preferredColumn, lastEdit: undefined };
}

interface Cell extends Character {
  /** UTF-16 offset in the text. */
  readonly offset: number;
}

/** One screen row: the characters from `start` up to `end`, UTF-16 offsets, without line ends. */
interface VisualRow {
  readonly start: number;
  readonly end: number;
  readonly cells: readonly Cell[];
}

const noRow: VisualRow = { start: 0, end: 0, cells: [] };

/** Only a part of a very long line is laid out. It begins and ends at multiples of this length in UTF-16 units. */
const partLength = 2048;
/** UTF-16 units; joined emoji have more. */
const unitsPerColumn = 8;

/** The rows of the caret's line and of `count` lines above and below it, and the index of the caret's row. */
function rowsAround({ text, cursor, pastes }: Draft, columns: number, count: number) {
  // One column is reserved for the caret after the last character.
  const width = Math.max(1, columns - 1);
  let from = lineStart(text, cursor);
  let to = lineEnd(text, cursor);
  for (let left = count; left > 0 && from > 0; left -= 1) from = lineStart(text, from - 1);
  for (let left = count; left > 0 && to < text.length; left -= 1) to = lineEnd(text, to + 1);
  const reach = count * width * unitsPerColumn;
  const partOf = (offset: number) =>
    boundaryFrom(text, Math.floor(offset / partLength) * partLength);
  if (from < cursor - reach) from = Math.max(from, partOf(cursor - reach));
  if (to > cursor + reach) to = Math.min(to, partOf(cursor + reach + partLength));
  const rows: VisualRow[] = [];
  for (let start = from; start <= to;) {
    const end = Math.min(to, lineEnd(text, start));
    let offset = start;
    const cells = Array.from(graphemes(text.slice(start, end)), (character): Cell => {
      const shown = truncateToWidth(shownOf(character, pastes), width);
      const cell = { offset, text: shown, width: displayWidth(shown) };
      offset += character.length;
      return cell;
    });
    let first = 0;
    // A line has at least one row.
    do {
      const next = rowEnd(cells, first, width);
      const [own, after] = [cells[first], cells[next]];
      const row = { start: own?.offset ?? start, end: after?.offset ?? end };
      rows.push({ ...row, cells: cells.slice(first, next) });
      first = next;
    } while (first < cells.length);
    start = end + 1;
  }
  return { rows, index: rows.findLastIndex(({ start }) => start <= cursor), width };
}

const tab = '    ';
const control = /^\p{Control}$/u;
/** Characters that would change the order of the text around them. */
const reordering = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A character as the terminal shows it: a paste as its marker, a tab as spaces, a control character as a symbol. */
export function shownOf(character: string, pastes: ReadonlyMap<string, Paste>): string {
  if (character === '\t') return tab;
  if (isPasteMarker(character)) {
    const paste = pastes.get(character);
    return paste === undefined ? '\uFFFD' : pasteLabel(paste);
  }
  if (!control.test(character)) return character.replaceAll(reordering, '\uFFFD');
  const code = character.charCodeAt(0);
  // Unicode has no control pictures for C1.
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : '\uFFFD';
}

/** A row has up to `width` columns plus a space; a wider character has its own row. */
function rowEnd(cells: readonly Cell[], first: number, width: number): number {
  let used = 0;
  let end = first;
  for (; end < cells.length; end += 1) {
    used += cells[end]?.width ?? 0;
    if (used > width) break;
  }
  if (end === cells.length) return end;
  // A space at the wrap uses the column reserved for the caret.
  if (cells[end]?.text === ' ' && end + 1 < cells.length) return end + 1;
  for (let cut = end; cut > first; cut -= 1) {
    const [before, after] = [cells[cut - 1], cells[cut]];
    if (before && after && isBreak(before, after)) return cut;
  }
  return Math.max(first + 1, end);
}
