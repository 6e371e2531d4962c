import type { OpenLine } from '../text/open-line.ts';

/** Text written by one update. */
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
const longestOlder = 200_000;

/** The last line of a text and `before` lines above it. */
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
