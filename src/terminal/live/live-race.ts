// An update in flight during a resize was drawn for one width but shown at another, so rows that the terminal had
// joined are partly overwritten. Each update leaves the cursor at a column counted from the right edge, so the reported
// column reveals the width at which the terminal showed the update. If that differs from the drawn width, the text of
// the last updates is written again: in place if that is certain, else below, where it may appear twice but is not lost.

import { cursorColumn, type Shown } from './live-paint.ts';
import { emptyLine, extendLine, type OpenLine } from '../text/open-line.ts';

/** The window width at which the terminal showed the last update, compared with the drawn and the current one. */
export type ShownWidth = 'drawn-width' | 'current-width' | 'other-width' | 'unknown';

/** The first change of the window's size since an update. */
export interface SizeChange {
  /** Milliseconds. */
  readonly at: number;
  readonly columns: number;
  readonly verdict: ShownWidth;
  /** Milliseconds until the terminal reported the cursor; undefined before that. */
  readonly answerTime?: number;
}

/** Maximum milliseconds of an update in flight, in addition to the reply time. */
const usualDelay = 40;
/** Used if the terminal has not replied. */
const likelyDelay = 50;

/** `cursor` is a column from zero, `columns` the current width. */
export function shownWidthOf(shown: Shown, columns: number, cursor: number): ShownWidth {
  const column = cursorColumn(shown);
  const late = Math.min(columns - 1, Math.max(0, column + columns - shown.columns));
  // Truncating or rewrapping a row moves the cursor with it.
  const isMoved = columns <= column && [columns - 1, column % columns].includes(cursor);
  const isDrawnWidth = cursor === column || isMoved;
  if (isDrawnWidth) return cursor === late && columns !== shown.columns ? 'unknown' : 'drawn-width';
  return cursor === late ? 'current-width' : 'other-width';
}

/** The terminal's content after an update at a different width, where it overwrites the line's last row. */
function overprinted(seen: string, { line, text }: Write, width: number): string {
  const { row, lead } = extendLine(emptyLine, lastLines(seen, 0), width);
  return seen.slice(0, seen.length - (row.length - lead)) + line.row + text;
}

function rowsOf(text: string, columns: number): number {
  const rows = text.split('\n').map((line) => extendLine(emptyLine, line, columns).rows);
  return rows.reduce((total, count) => total + count, 0);
}

const textOf = (writes: readonly Write[]) => writes.map(({ text }) => text).join('');

/** The last line of a text, and enough lines before it to fill `rows` rows, even in a wider window. */
function lastRows(text: string, rows: number, columns: number): string {
  const lines = text.split('\n');
  let first = lines.length - 1;
  for (let found = 0; found < rows && first > 0;) {
    first -= 1;
    found += Math.max(1, Math.floor((lines[first] ?? '').length / (2 * columns)));
  }
  return lines.slice(first).join('\n');
}

export interface RepeatedText {
  /** From the start of a line to the end of the written text. */
  readonly text: string;
  /** Minimum number of rows between its first and its last row on the terminal. */
  readonly rows: number;
}

/** Minimum number of rows on the terminal if at least `least` updates were late. */
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

/** The text that the last updates may have damaged; undefined if none. */
export function textToRepeat(
  { older, writes }: Written,
  { at: changed, verdict, answerTime, columns: shownIn }: SizeChange,
  columns: number,
): RepeatedText | undefined {
  if (verdict === 'drawn-width') return undefined;
  const isKnown = verdict !== 'unknown';
  const way = answerTime === undefined ? likelyDelay : usualDelay + 2 * answerTime;
  const late = writes.findIndex(({ at }) => at >= changed - way);
  const first = late === -1 && isKnown ? writes.length - 1 : late;
  if (first < 0) return undefined;
  const suspects = writes.slice(first);
  const reach = Math.max(...suspects.map((write) => write.reach));
  const before = lastRows(older + textOf(writes.slice(0, first)), reach, columns);
  const text = before + textOf(suspects);
  if (reach > 0 || verdict === 'other-width') return { text, rows: 0 };
  const rows = fewestRows(before, suspects, isKnown ? 1 : 0, shownIn, columns);
  return { text, rows: rows - 1 };
}

export interface Write {
  /** Milliseconds, as `PaceClock` counts them. */
  readonly at: number;
  /** The open line before the text, wrapped for the width of that time; its last row was printed again. */
  readonly line: OpenLine;
  readonly text: string;
  /** Rows above that last row that the update may have changed if the width was different. */
  readonly reach: number;
}

/** The text of the last updates, in case it must be written again, and the end of the text before them. */
export interface Written {
  readonly older: string;
  readonly writes: readonly Write[];
}

export const nothingWritten: Written = { older: '', writes: [] };

/** Milliseconds for which updates are kept separately. */
export const memory = 1000;
/** More rows than any update reaches above its text. */
const olderLines = 100;
const maxOlder = 200_000;

/** The last line of a text and `before` lines above it. */
export function lastLines(text: string, before: number): string {
  let begin = text.length;
  for (let count = 0; count <= before && begin >= 0; count += 1) {
    begin = begin === 0 ? -1 : text.lastIndexOf('\n', begin - 1);
  }
  return text.slice(begin + 1);
}

function trimmed(older: string): string {
  if (older.length <= maxOlder) return older;
  return lastLines(older, olderLines).slice(-maxOlder / 2);
}

/** Merges the first updates into the older text. */
function folded({ older, writes }: Written, count: number): Written {
  const text =
    older +
    writes
      .slice(0, count)
      .map((one) => one.text)
      .join('');
  return { older: trimmed(text), writes: writes.slice(count) };
}

/** Adds an update; those that are too old are merged into the older text. */
export function remember(written: Written, write: Write): Written {
  const young = written.writes.findIndex(({ at }) => at >= write.at - memory);
  const { older, writes } = folded(written, young === -1 ? written.writes.length : young);
  return { older, writes: [...writes, write] };
}

/** The updates up to that time were shown at their drawn width. */
export function confirm(written: Written, at: number): Written {
  return folded(written, written.writes.filter((write) => write.at <= at).length);
}
