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

/** @param column the used columns of the row in which the text begins */
export function createWordRows(width: () => number, column: number): WordRows {
  let end: RowEnd = { ...rowStart(0), column, isFresh: column === 0 };
  let spaces = '';
  return {
    write(added) {
      const text = spaces + added;
      const [found = ''] = /[ \t]*$/.exec(text) ?? [];
      spaces = found;
      const shown = text.slice(0, text.length - spaces.length);
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
/** The end of a text that the next piece may continue; scripts without spaces have no such words. */
const lastWord = /[^\s\u2e80-\uffef]*$/;

export function createWordStream(width: () => number, column: number): WordStream {
  const rows = createWordRows(width, column);
  let word = '';
  return {
    write(added) {
      const text = word + added;
      const [last = ''] = lastWord.exec(text) ?? [];
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
