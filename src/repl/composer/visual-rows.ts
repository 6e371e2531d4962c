import { displayWidth, graphemes, truncateToWidth } from '../../terminal/text/width.ts';
import { isBreak, type Character } from '../../terminal/text/wrap.ts';
import { boundaryFrom } from './grapheme-boundary.ts';
import { isPasteMarker, pasteLabel, type MarkedText, type Paste } from './paste.ts';

interface Cell extends Character {
  /** UTF-16 offset in the text. */
  readonly offset: number;
}

/** One screen row: the characters from `start` up to `end`, UTF-16 offsets, without line ends. */
export interface VisualRow {
  readonly start: number;
  readonly end: number;
  readonly cells: readonly Cell[];
}

/** A part of a line that is wrapped separately, so that a very long line costs no more than its visible part. */
export interface Block {
  readonly start: number;
  readonly end: number;
}

const blockLength = 2048;
const tab = '    ';
const control = /^\p{Control}$/u;
/** Characters that would change the order of the text around them. */
const reordering = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The block that contains the offset; at the end of a line, the block that ends there. */
export function blockAt(text: string, offset: number): Block {
  const lineStart = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  const found = text.indexOf('\n', offset);
  const lineEnd = found === -1 ? text.length : found;
  if (lineEnd - lineStart <= blockLength) return { start: lineStart, end: lineEnd };
  const lastIndex = Math.ceil((lineEnd - lineStart) / blockLength) - 1;
  const startOf = (index: number) =>
    index > lastIndex ? lineEnd : boundaryFrom(text, lineStart + index * blockLength);
  let index = Math.min(lastIndex, Math.floor((offset - lineStart) / blockLength));
  if (startOf(index) > offset) index -= 1;
  return { start: startOf(index), end: startOf(index + 1) };
}

export function blockBefore(text: string, { start }: Block): Block | undefined {
  return start === 0 ? undefined : blockAt(text, start - 1);
}

export function blockAfter(text: string, { end }: Block): Block | undefined {
  if (end === text.length) return undefined;
  return blockAt(text, text.charAt(end) === '\n' ? end + 1 : end);
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
export function rowsOf(fragment: MarkedText, block: Block, width: number): VisualRow[] {
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
