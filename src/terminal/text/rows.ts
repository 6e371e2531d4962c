// Where rows of prose end: at spaces and beside ideographs, never within a word. A row is decided once: text that
// follows does not change it, and the result does not depend on the pieces in which the text arrives.
import { displayWidth, isWide } from './width.ts';

/** A part of a text that a row end replaces: spaces, a line end, or nothing between two ideographs. */
interface RowBreak {
  readonly from: number;
  readonly to: number;
}

/** Rows with less room would have a few letters each, so the terminal wraps the text then. */
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

const blank = /[ \t]/;

/** What follows may belong to the same unit. */
const isOpen = (last: string) => isWide(last) || noEnd.test(last);

/** Where the rows of a text end, which arrives in pieces. @param column the used columns of its first row */
export function createRows(currentWidth: () => number, column = 0) {
  /** Columns of the indentation of each row, which `column` includes. */
  let indent = 0;
  /** The last UTF-16 unit. */
  let last = '';
  /** The word at the end is longer than a row. */
  let isLong = false;
  /** Starts a text after the markers of its first row, which have as many columns as the indentation of others. */
  const begin = (columns: number) => {
    indent = columns;
    column = columns;
    last = '';
    isLong = false;
  };
  return {
    begin,
    /**
     * Places a text. Without `isEnd`, its end is placed only if further text cannot change that.
     * @returns the row ends, and the number of UTF-16 units that are placed; the rest is to be given again
     */
    place(text: string, isEnd: boolean) {
      const breaks: RowBreak[] = [];
      const width = Math.max(1, currentWidth());
      const isRoomy = width - indent >= MIN_ROOM;
      let placed = 0;
      for (const { 0: part, index } of text.matchAll(/[ \t]+|\n|[^ \t\n]+/g)) {
        if (part === '\n') {
          breaks.push({ from: placed, to: index + 1 });
          begin(indent);
          placed = index + 1;
        }
        if (/^[ \t\n]/.test(part)) continue;
        for (const unit of unitsOf(part)) {
          const from = placed;
          const spaces = Math.max(0, index - from);
          placed = from + spaces + unit.length;
          const mayGrow = !isEnd && placed === text.length && isOpen(unit.at(-1) ?? '');
          if (mayGrow) return { breaks, placed: from };
          if (!isRoomy) continue;
          const canFollow = last === '' || mayBreak(last, unit.charAt(0), 0);
          const mayMove = from !== index || canFollow;
          const columns = displayWidth(unit);
          if (mayMove) isLong = false;
          const fitsInRow = column + spaces + columns <= width && !isLong;
          const hasText = last !== '' || column > indent;
          if (!fitsInRow && mayMove && hasText) {
            breaks.push({ from, to: from + spaces });
            column = indent;
          } else column += spaces;
          isLong ||= column + columns > width;
          column += columns;
          // The terminal wraps a word that is longer than a row, which stays whole for selection.
          if (isLong) column = ((column - 1) % width) + 1;
          last = unit.at(-1) ?? '';
        }
      }
      return { breaks, placed: isEnd ? text.length : placed };
    },
  };
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

/** A longer word is written before its end. */
const maxWord = 1000;
/** A character of a word that the next piece may continue; scripts without spaces have no such words. */
const wordCharacter = /[^\s\u2e80-\uffef]/;

/**
 * Plain text that arrives in any pieces, in rows that end between words. The last word is held back, and the spaces
 * before it: a row may end there.
 * @param column the used columns of the row in which the text begins
 */
export function createWordRows(width: () => number, column: number) {
  const rows = createRows(width, column);
  let held = '';
  /** @param isWhole the text ends between words or at a line end */
  return (added: string, isWhole = false): string => {
    const text = held + added;
    const word = isWhole ? text.length : endingOf(text, wordCharacter, maxWord + 1);
    const isTooLong = text.length - word > maxWord;
    const decided = isTooLong ? text : text.slice(0, word);
    const shown = text.slice(0, endingOf(decided, blank, decided.length));
    held = text.slice(shown.length);
    return withRowEnds(shown, rows.place(shown, true).breaks);
  };
}

/**
 * Plain text in rows of up to `columns`, broken between words; `indent` begins all rows but the first, before which the
 * caller puts a mark of the same width. A word that is wider stays whole for copying: the terminal breaks it.
 */
export function hangText(text: string, columns: number, indent = ''): string {
  const rows = createRows(() => columns - displayWidth(indent));
  const lines = withRowEnds(text, rows.place(text, true).breaks).split('\n');
  return lines.map((row, index) => (index === 0 || row === '' ? row : indent + row)).join('\n');
}
