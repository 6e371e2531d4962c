// Where rows of prose end: at spaces and beside ideographs, never within a word. A row is decided once: text that
// follows does not change it, and the result does not depend on the pieces in which the text arrives.
import { displayWidth, graphemes } from '../text/width.ts';
import { isWide } from './inline-scanner.ts';
import type { Style } from '../style.ts';
import { paintSpans, visibleText, type Span } from './span.ts';

/** A part of a text that a row end replaces: spaces, a line end, or nothing between two ideographs. */
interface RowBreak {
  readonly from: number;
  readonly to: number;
}

/** The end of the text that is placed so far. */
interface RowEnd {
  /** Used columns of the row, indentation included. */
  readonly column: number;
  /** The row has only its indentation. */
  readonly isFresh: boolean;
  /** The last UTF-16 unit. */
  readonly last: string;
  /** The word at the end is longer than a row. */
  readonly isLong: 'no' | 'link' | 'text';
}

interface RowLayout {
  /** Of the terminal, in columns. */
  readonly width: number;
  /** Columns of the indentation of each row. */
  readonly indent: number;
}

interface PlacedText {
  readonly breaks: readonly RowBreak[];
  readonly end: RowEnd;
  /** UTF-16 units that are placed; the next text decides about the rest. */
  readonly placed: number;
}

const rowStart = (indent: number): RowEnd => {
  return { column: indent, isFresh: true, last: '', isLong: 'no' };
};

/** With less room, rows would have a few letters each; then the terminal wraps the text. */
const MIN_ROOM = 4;
/** UTF-16 units; a longer sequence of punctuation or syllables can be broken anywhere. */
const MAX_UNIT = 32;

const noStart =
  /[\p{M}\p{Pe}\p{Pf}、。，．・：；？！」』ー…‥々〻ゝゞヽヾ゛゜ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ.,:;!?%'"]/u;
const noEnd = /[\p{Ps}\p{Pi}]/u;
const isHangul = (character: string) => character >= '\uac00' && character <= '\ud7a3';

/** `size`: UTF-16 units since the last place where a row could end. */
function mayBreak(before: string, after: string, size: number): boolean {
  const isWideBefore = isWide(before);
  if (!isWideBefore && !isWide(after)) return false;
  if (size >= MAX_UNIT) return true;
  if (noEnd.test(before) || (isWideBefore && noStart.test(after))) return false;
  return !(isHangul(before) && isHangul(after));
}

const perhapsWide = /[\u2e80-\uffef]/;

/** The parts of a word between which a row may end. */
function unitsOf(word: string): readonly string[] {
  if (!perhapsWide.test(word)) return [word];
  const units: string[] = [];
  let from = 0;
  for (let at = 1; at < word.length; at += 1) {
    if (!mayBreak(word.charAt(at - 1), word.charAt(at), at - from)) continue;
    units.push(word.slice(from, at));
    from = at;
  }
  units.push(word.slice(from));
  return units;
}

const isLink = (word: string) => /:\/\/|^www\./i.test(word);
/** What follows may belong to the same unit. */
const isOpen = (last: string) => isWide(last) || noEnd.test(last);

interface Placing {
  readonly layout: RowLayout;
  readonly breaks: RowBreak[];
  column: number;
  isFresh: boolean;
  last: string;
  isLong: RowEnd['isLong'];
}

function breakRow(placing: Placing, from: number, to: number): void {
  placing.breaks.push({ from, to });
  placing.column = placing.layout.indent;
  placing.isFresh = true;
}

/**
 * A word that is longer than a row. The terminal wraps a link, which stays whole for selection, and any word where
 * rows have no indentation; else it is cut.
 */
function placeLong(placing: Placing, word: string, at: number): void {
  const { width, indent } = placing.layout;
  if (placing.isLong === 'no') placing.isLong = indent === 0 || isLink(word) ? 'link' : 'text';
  if (placing.isLong === 'link') {
    placing.column = ((placing.column + displayWidth(word) - 1) % width) + 1;
  } else {
    let position = at;
    for (const character of graphemes(word)) {
      const columns = displayWidth(character);
      if (placing.column + columns > width) breakRow(placing, position, position);
      placing.column += columns;
      position += character.length;
    }
  }
  placing.isFresh = false;
}

/** A part of the text: its spaces and what follows them without a place for a row end. */
interface Unit {
  readonly text: string;
  readonly from: number;
  readonly spaces: number;
  /** A row may end before it. */
  readonly mayMove: boolean;
}

function placeUnit(placing: Placing, { text, from, spaces, mayMove }: Unit): void {
  const { width, indent } = placing.layout;
  const columns = displayWidth(text);
  const at = from + spaces;
  if (mayMove) placing.isLong = 'no';
  if (placing.column + spaces + columns <= width && placing.isLong === 'no') {
    placing.column += spaces + columns;
    placing.isFresh = false;
  } else {
    if (!mayMove || placing.isFresh) placing.column += spaces;
    else breakRow(placing, from, at);
    if (indent + columns <= width && placing.isFresh && placing.column === indent) {
      placing.column += columns;
      placing.isFresh = false;
    } else placeLong(placing, text, at);
  }
  placing.last = text.at(-1) ?? '';
}

/** Whether a row may end between the placed text and this unit. */
function canFollow(last: string, unit: string): boolean {
  return last === '' || mayBreak(last, unit.charAt(0), 0);
}

interface Word {
  readonly text: string;
  readonly from: number;
  readonly spaces: number;
  /** Further text may continue it. */
  readonly isLast: boolean;
}

/** @returns the end of the part that is placed */
function placeWord(placing: Placing, { text, from, spaces, isLast }: Word): number {
  const { width, indent } = placing.layout;
  const isNarrow = width - indent < MIN_ROOM;
  const end = from + spaces + text.length;
  let at = from;
  for (const [index, unit] of unitsOf(text).entries()) {
    const before = index === 0 ? spaces : 0;
    const next = at + before + unit.length;
    if (isLast && next === end && isOpen(unit.at(-1) ?? '')) return at;
    const mayMove = before > 0 || index > 0 || canFollow(placing.last, unit);
    if (!isNarrow) placeUnit(placing, { text: unit, from: at, spaces: before, mayMove });
    at = next;
  }
  return at;
}

const spaceRun = /[ \t]*/y;
const wordRun = /[^ \t\n]*/y;

/** The end of what the pattern, which may be empty, matches at this place. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

/** Places a text after `start`. Without `isEnd`, its end is placed only if further text cannot change that. */
function placeText(text: string, start: RowEnd, layout: RowLayout, isEnd: boolean): PlacedText {
  const placing: Placing = { ...start, layout, breaks: [] };
  let placed = 0;
  for (;;) {
    const from = placed;
    const next = endOf(spaceRun, text, from);
    const end = endOf(wordRun, text, next);
    if (end > next) {
      const isLast = !isEnd && end === text.length;
      const part = { text: text.slice(next, end), from, spaces: next - from, isLast };
      placed = placeWord(placing, part);
      if (placed < end) break;
    } else if (text[next] === '\n') {
      placed = next + 1;
      breakRow(placing, from, placed);
      placing.last = '';
      placing.isLong = 'no';
    } else break;
  }
  const { column, isFresh, last, isLong, breaks } = placing;
  const end = { column, isFresh, last, isLong };
  return { breaks, end, placed: isEnd ? text.length : placed };
}

// Prose in rows that end between words. Each text is written once, at the end of what was written before.

/** The rows of the paragraph or heading that is written. */
export interface ProseRows {
  /** Columns of the terminal. */
  readonly width: () => number;
  indent: number;
  end: RowEnd;
  /** The end of the text, whose place depends on what follows. */
  held: readonly Span[];
}

export function createProseRows(width: () => number): ProseRows {
  return { width, indent: 0, end: rowStart(0), held: [] };
}

/** Call after the markers of the first row, which has `indent` columns. */
export function beginProse(rows: ProseRows, indent: number): void {
  rows.indent = indent;
  rows.end = rowStart(indent);
}

interface RowText {
  readonly style: Style;
  /** The markers of each further row. */
  readonly prefix: () => string;
  /** No text follows in this paragraph. */
  readonly isEnd: boolean;
}

/** The styled text of the spans that is decided now, with row ends. */
export function writeProse(
  rows: ProseRows,
  spans: readonly Span[],
  { style, prefix, isEnd }: RowText,
): string {
  const all = rows.held.length === 0 ? spans : [...rows.held, ...spans];
  const text = visibleText(all);
  const layout = { width: Math.max(1, rows.width()), indent: rows.indent };
  const { breaks, end, placed } = placeText(text, rows.end, layout, isEnd);
  rows.end = end;
  rows.held = sliceSpans(all, placed, text.length);
  let output = '';
  let at = 0;
  for (const { from, to } of breaks) {
    output += `${paintSpans(sliceSpans(all, at, from), style)}\n${prefix()}`;
    at = to;
  }
  return output + paintSpans(sliceSpans(all, at, placed), style);
}

export function heldText({ held }: ProseRows): string {
  return visibleText(held);
}

function sliceSpans(spans: readonly Span[], from: number, to: number): readonly Span[] {
  const slices: Span[] = [];
  let at = 0;
  for (const span of spans) {
    const text = span.text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (text !== '') slices.push({ ...span, text });
    at += span.text.length;
  }
  return slices;
}

/** Plain text in rows that end between words, written piece by piece. */
export interface WordRows {
  /** Pieces end between words or at a line end. The spaces at the end are held back: a row may end there. */
  write(text: string): string;
}

function withRowEnds(text: string, breaks: readonly RowBreak[]): string {
  let rows = '';
  let at = 0;
  for (const { from, to } of breaks) {
    rows += `${text.slice(at, from)}\n`;
    at = to;
  }
  return rows + text.slice(at);
}

/**
 * Where the characters of this kind at the end of a text begin. A pattern for the end would be tried at each character,
 * which takes quadratic time.
 * @param most characters to look at
 */
function endingOf(text: string, kind: RegExp, most: number): number {
  const least = Math.max(0, text.length - most);
  let start = text.length;
  while (start > least && kind.test(text.charAt(start - 1))) start -= 1;
  return start;
}

const blank = /[ \t]/;

/** @param column the used columns of the row in which the text begins */
export function createWordRows(width: () => number, column: number): WordRows {
  let end: RowEnd = { ...rowStart(0), column, isFresh: column === 0 };
  let spaces = '';
  return {
    write(added) {
      const text = spaces + added;
      const shown = text.slice(0, endingOf(text, blank, text.length));
      spaces = text.slice(shown.length);
      const placed = placeText(shown, end, { width: Math.max(1, width()), indent: 0 }, true);
      end = placed.end;
      return withRowEnds(shown, placed.breaks);
    },
  };
}

/** Text that arrives in any pieces, in rows that end between words. */
export interface WordStream {
  write(text: string): string;
  /** The last word. */
  end(): string;
}

/** A longer word is written before its end. */
const maxWord = 1000;
/** A character of a word that the next piece may continue; scripts without spaces have no such words. */
const wordCharacter = /[^\s\u2e80-\uffef]/;

export function createWordStream(width: () => number, column: number): WordStream {
  const rows = createWordRows(width, column);
  let word = '';
  return {
    write(added) {
      const text = word + added;
      const last = text.slice(endingOf(text, wordCharacter, maxWord + 1));
      word = last.length > maxWord ? '' : last;
      return rows.write(text.slice(0, text.length - word.length));
    },
    end() {
      const last = word;
      word = '';
      return rows.write(last);
    },
  };
}
