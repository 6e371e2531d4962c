import type { Draft, TextBuffer } from './text-buffer.ts';
import { displayWidth, graphemes, truncateToWidth } from '../../terminal/text/width.ts';
import { isBreak, type Character } from '../../terminal/text/wrap.ts';
import { boundaryFrom, lineEnd, lineStart } from './grapheme-boundary.ts';
import { isPasteMarker, pasteLabel, type MarkedText, type Paste } from './paste.ts';

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

/** A range that starts at `from` and ends before `to`. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** A row of a block; `rows` are all rows of `block`. */
interface Place {
  readonly draft: Draft;
  readonly width: number;
  readonly block: Block;
  readonly rows: readonly VisualRow[];
  readonly index: number;
}

function placeOf(
  draft: Draft,
  width: number,
  block: Block,
  index: (rows: number) => number,
): Place {
  const rows = rowsOf(draft, block, width);
  return { draft, width, block, rows, index: index(rows.length) };
}

function placeOfCursor(draft: Draft, columns: number): Place {
  // One column is reserved for the caret after the last character.
  const width = Math.max(1, columns - 1);
  const place = placeOf(draft, width, blockAt(draft.text, draft.cursor), () => 0);
  const index = place.rows.findLastIndex(({ start }) => start <= draft.cursor);
  return { ...place, index: Math.max(0, index) };
}

function above(place: Place): Place | undefined {
  const { draft, width, block, index } = place;
  if (index > 0) return { ...place, index: index - 1 };
  if (block.start === 0) return undefined;
  return placeOf(draft, width, blockAt(draft.text, block.start - 1), (rows) => rows - 1);
}

function below(place: Place): Place | undefined {
  const { draft, width, block, rows, index } = place;
  if (index < rows.length - 1) return { ...place, index: index + 1 };
  if (block.end === draft.text.length) return undefined;
  const start = draft.text.charAt(block.end) === '\n' ? block.end + 1 : block.end;
  return placeOf(draft, width, blockAt(draft.text, start), () => 0);
}

function rowAt({ rows, index }: Place): VisualRow {
  return rows[index] ?? { start: 0, end: 0, cells: [] };
}

function columnOf({ cells }: VisualRow, offset: number): number {
  return cells.reduce((column, cell) => (cell.offset < offset ? column + cell.width : column), 0);
}

/** A space at a wrap that exceeds the width is not drawn, because the renderer would truncate the row. */
function textOf({ cells }: VisualRow, width: number): string {
  const used = cells.reduce((columns, cell) => columns + cell.width, 0);
  const isHanging = used > width && cells.at(-1)?.text === ' ';
  const drawn = isHanging ? cells.slice(0, -1) : cells;
  return drawn.map((cell) => cell.text).join('');
}

/** A selected line end is a column, if the row has space for it. */
function selectedColumns(
  text: string,
  row: VisualRow,
  { from, to }: Range,
  width: number,
): Range | undefined {
  const isEnd = text.charAt(row.end) === '\n' && from <= row.end && to > row.end;
  if (!isEnd && (to <= row.start || from >= row.end)) return undefined;
  const first = columnOf(row, Math.max(from, row.start));
  const last = columnOf(row, Math.min(to, row.end)) + (isEnd ? 1 : 0);
  return { from: Math.min(first, width), to: Math.min(last, width) };
}

/** Up to `count` consecutive places, nearest first. */
function walk(start: Place, step: (place: Place) => Place | undefined, count: number): Place[] {
  const places: Place[] = [];
  for (let place = start; places.length < count;) {
    const next = step(place);
    if (next === undefined) break;
    places.push(next);
    place = next;
  }
  return places;
}

/** Lays out at most `height` rows around the caret, so that the time does not grow with the text. */
export function layout(
  draft: Draft,
  columns: number,
  height = Number.POSITIVE_INFINITY,
  /** Selected offsets. */
  selected?: Range,
) {
  const cursor = placeOfCursor(draft, columns);
  const rest = Math.max(0, height - 1);
  const before = walk(cursor, above, rest);
  const after = walk(cursor, below, rest);
  const fewerAfter = Math.min(after.length, Math.max(Math.floor(rest / 2), rest - before.length));
  const shownBefore = before.slice(0, rest - fewerAfter).toReversed();
  const shown = [...shownBefore, cursor, ...after.slice(0, fewerAfter)];
  const rows = shown.map((place) => textOf(rowAt(place), cursor.width));
  return {
    rows,
    cursorRow: shownBefore.length,
    cursorColumn: columnOf(rowAt(cursor), draft.cursor),
    hasMoreAbove: rowAt(shown[0] ?? cursor).start > 0,
    hasMoreBelow: rowAt(shown.at(-1) ?? cursor).end < draft.text.length,
    selections:
      selected &&
      shown.map((place) => selectedColumns(draft.text, rowAt(place), selected, cursor.width)),
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

/** Keeps the caret's column; undefined beyond the first and last row, where Up and Down browse the history. */
export function moveVertically(
  buffer: TextBuffer,
  rows: number,
  columns: number,
): TextBuffer | undefined {
  const start = placeOfCursor(buffer, columns);
  const target = walk(start, rows < 0 ? above : below, Math.abs(rows)).at(-1);
  if (target === undefined) return undefined;
  const preferredColumn = buffer.preferredColumn ?? columnOf(rowAt(start), buffer.cursor);
  const cursor = offsetAt(buffer.text, rowAt(target), preferredColumn);
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

/** A part of a line that is wrapped separately, so that a very long line costs no more than its visible part. */
interface Block {
  readonly start: number;
  readonly end: number;
}

const blockLength = 2048;
const tab = '    ';
const control = /^\p{Control}$/u;
/** Characters that would change the order of the text around them. */
const reordering = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The block that contains the offset; at the end of a line, the block that ends there. */
function blockAt(text: string, offset: number): Block {
  const start = lineStart(text, offset);
  const end = lineEnd(text, offset);
  const lastIndex = Math.max(0, Math.ceil((end - start) / blockLength) - 1);
  const startOf = (index: number) =>
    index > lastIndex ? end : boundaryFrom(text, start + index * blockLength);
  let index = Math.min(lastIndex, Math.floor((offset - start) / blockLength));
  if (startOf(index) > offset) index -= 1;
  return { start: startOf(index), end: startOf(index + 1) };
}

function shownOf(character: string, pastes: ReadonlyMap<string, Paste>): string {
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

function cellsOf(fragment: MarkedText, block: Block, width: number): Cell[] {
  const cells: Cell[] = [];
  let offset = block.start;
  for (const character of graphemes(fragment.text.slice(block.start, block.end))) {
    const shown = truncateToWidth(shownOf(character, fragment.pastes), width);
    cells.push({ offset, text: shown, width: displayWidth(shown) });
    offset += character.length;
  }
  return cells;
}

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

/** The block's rows, at least one, each up to `width` columns plus a space; a wider character has its own row. */
function rowsOf(fragment: MarkedText, block: Block, width: number): VisualRow[] {
  const cells = cellsOf(fragment, block, width);
  const rows: VisualRow[] = [];
  let first = 0;
  do {
    const end = rowEnd(cells, first, width);
    rows.push({
      start: cells[first]?.offset ?? block.start,
      end: cells[end]?.offset ?? block.end,
      cells: cells.slice(first, end),
    });
    first = end;
  } while (first < cells.length);
  return rows;
}
