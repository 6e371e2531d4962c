import { placeText, rowStart, type RowBreak, type RowEnd } from './row-breaks.ts';

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
