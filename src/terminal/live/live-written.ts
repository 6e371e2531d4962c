import type { OpenLine } from '../text/open-line.ts';

/** Text that one update gave to the terminal. */
export interface Write {
  /** Milliseconds, as `PaceClock` counts them. */
  readonly at: number;
  /** What the text was added to, wrapped for the window as it was then: its last row was printed again. */
  readonly line: OpenLine;
  readonly text: string;
  /** Rows above that last row which the update may have touched, should the window have been another. */
  readonly reach: number;
}

/** The text of the last updates, for when it must be written again, and the end of what came before them. */
export interface Written {
  readonly older: string;
  readonly writes: readonly Write[];
}

export const nothingWritten: Written = { older: '', writes: [] };

/** Milliseconds for which updates are told apart. */
export const memory = 1000;
/** More rows than any update reaches above its text. */
const olderLines = 100;
const longestOlder = 200_000;

/** The last lines of a text: the one at its end, and so many before. */
export function lastLines(text: string, before: number): string {
  let begin = text.length;
  for (let count = 0; count <= before && begin >= 0; count += 1) {
    begin = begin === 0 ? -1 : text.lastIndexOf('\n', begin - 1);
  }
  return text.slice(begin + 1);
}

function trimmed(older: string): string {
  if (older.length <= longestOlder) return older;
  return lastLines(older, olderLines).slice(-longestOlder / 2);
}

/** With the first so many updates as part of what came before. */
function folded({ older, writes }: Written, count: number): Written {
  const text =
    older +
    writes
      .slice(0, count)
      .map((one) => one.text)
      .join('');
  return { older: trimmed(text), writes: writes.slice(count) };
}

/** With one more update; those that are too old become part of what came before. */
export function remember(written: Written, write: Write): Written {
  const young = written.writes.findIndex(({ at }) => at >= write.at - memory);
  const { older, writes } = folded(written, young === -1 ? written.writes.length : young);
  return { older, writes: [...writes, write] };
}

/** The update of that time, and what came before it, was shown in its own window. */
export function confirm(written: Written, at: number): Written {
  return folded(written, written.writes.filter((write) => write.at <= at).length);
}
