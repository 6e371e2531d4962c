// What was on its way to the terminal when its size changed was made for one window and shown in another: rows that
// the terminal had joined are then partly overwritten. Each update leaves the cursor in a column counted from the
// right edge, so where the terminal says that it stands tells how wide the window was when it showed the update.
// If that was another width, the text of the last updates is written again, in place as far as that is certain, else
// below: text may stand there twice then, but none is lost.

import { cursorColumn, type Shown } from './live-paint.ts';
import { lastLines, type Write, type Written } from './live-written.ts';
import { emptyLine, extendLine } from '../text/open-line.ts';

/** In what window the terminal showed the last update: the one it was made for, the new one, or one between. */
export type Verdict = 'its own' | 'the new one' | 'another' | 'unknown';

/** The window's size has changed, for the first time since an update. */
export interface SizeChange {
  /** Milliseconds. */
  readonly at: number;
  readonly columns: number;
  readonly verdict: Verdict;
  /** Milliseconds that the terminal took to tell where the cursor stands; undefined until it has. */
  readonly answerTime?: number;
}

/** Milliseconds that an update may be on its way, besides the time that an answer takes. */
const usualWay = 40;
/** Where the terminal has not answered. */
const likelyWay = 50;

/** By the cursor's column, from zero, in a window that has `columns` now. */
export function verdictOf(shown: Shown, columns: number, cursor: number): Verdict {
  const column = cursorColumn(shown);
  const late = Math.min(columns - 1, Math.max(0, column + columns - shown.columns));
  // A row that was cut or wrapped anew takes the cursor along.
  const isMoved = columns <= column && [columns - 1, column % columns].includes(cursor);
  const isOwn = cursor === column || isMoved;
  if (isOwn) return cursor === late && columns !== shown.columns ? 'unknown' : 'its own';
  return cursor === late ? 'the new one' : 'another';
}

/** What stands in the terminal once an update was shown in another width: its text over the line's last row. */
function overprinted(seen: string, { line, text }: Write, width: number): string {
  const { row, lead } = extendLine(emptyLine, lastLines(seen, 0), width);
  return seen.slice(0, seen.length - (row.length - lead)) + line.row + text;
}

function rowsOf(text: string, columns: number): number {
  const rows = text.split('\n').map((line) => extendLine(emptyLine, line, columns).rows);
  return rows.reduce((total, count) => total + count, 0);
}

const textOf = (writes: readonly Write[]) => writes.map(({ text }) => text).join('');

/** The line at the end of a text, and as many before it as surely take so many rows, in a wider window too. */
function lastRows(text: string, rows: number, columns: number): string {
  const lines = text.split('\n');
  let first = lines.length - 1;
  for (let found = 0; found < rows && first > 0;) {
    first -= 1;
    found += Math.max(1, Math.floor((lines[first] ?? '').length / (2 * columns)));
  }
  return lines.slice(first).join('\n');
}

/** Text to write again. */
export interface TextAgain {
  /** From the begin of a line to the end of all that was written. */
  readonly text: string;
  /** How many rows above the last one of it the terminal shows its begin, at the least. */
  readonly rows: number;
}

/** The fewest rows that the terminal may show it in, when at least `least` of the updates were late. */
function fewestRows(
  before: string,
  writes: readonly Write[],
  least: number,
  shownIn: number,
  columns: number,
): number {
  let fewest = Number.POSITIVE_INFINITY;
  for (let late = least; late <= writes.length; late += 1) {
    const inTime = writes.length - late;
    const seen = writes
      .slice(inTime)
      .reduce(
        (text, write) => overprinted(text, write, shownIn),
        before + textOf(writes.slice(0, inTime)),
      );
    fewest = Math.min(fewest, rowsOf(seen, columns));
  }
  return fewest;
}

/** What the last updates may have left damaged in a window that now has `columns`; undefined where nothing is. */
export function textToRepeat(
  { older, writes }: Written,
  { at: changed, verdict, answerTime, columns: shownIn }: SizeChange,
  columns: number,
): TextAgain | undefined {
  if (verdict === 'its own') return undefined;
  const isKnown = verdict !== 'unknown';
  const way = answerTime === undefined ? likelyWay : usualWay + 2 * answerTime;
  const late = writes.findIndex(({ at }) => at >= changed - way);
  const first = late === -1 && isKnown ? writes.length - 1 : late;
  if (first < 0) return undefined;
  const suspects = writes.slice(first);
  const reach = Math.max(...suspects.map((write) => write.reach));
  const before = lastRows(older + textOf(writes.slice(0, first)), reach, columns);
  const text = before + textOf(suspects);
  if (reach > 0 || verdict === 'another') return { text, rows: 0 };
  const rows = fewestRows(before, suspects, isKnown ? 1 : 0, shownIn, columns);
  return { text, rows: rows - 1 };
}
