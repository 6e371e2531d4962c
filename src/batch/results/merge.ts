import { Failure } from '../../failure.ts';
import type { IndexedResult, ResultIndex } from './result-index.ts';

/**
 * Adds a result of one of several files.
 * @param names the files' names in messages, by number
 * @throws Failure `usage` if two files answer the same item, or have different prompts for it
 */
export function addMerged(
  index: ResultIndex,
  result: IndexedResult,
  names: readonly string[],
): void {
  const earlier = index.get(result.index);
  if (earlier !== undefined && earlier.file !== result.file) {
    const files = `${names[earlier.file]} and ${names[result.file]}`;
    const [one, other] = [earlier.fingerprint, result.fingerprint];
    if (one !== undefined && other !== undefined && one !== other) {
      throw new Failure('usage', `${files} belong to different inputs: see item ${result.index}`);
    }
    if (earlier.isAnswered && result.isAnswered) {
      throw new Failure('usage', `item ${result.index} is answered twice, in ${files}`, {
        hint: 'leave one of the files out, or name the shards that belong together',
      });
    }
  }
  index.add(result);
}

const maxRanges = 10;

/** The items from 1 to the last result that have no result: their number, and the first ranges, such as `3, 7-9`. */
export function missingItems(index: ResultIndex): {
  readonly count: number;
  readonly text: string;
} {
  const ranges: string[] = [];
  let before = 0;
  for (const { index: item } of index.results()) {
    const [first, last] = [before + 1, item - 1];
    if (first <= last) ranges.push(first === last ? `${first}` : `${first}-${last}`);
    before = item;
  }
  const shown = ranges.length > maxRanges ? [...ranges.slice(0, maxRanges), '…'] : ranges;
  return { count: index.last - index.count, text: shown.join(', ') };
}
