import { Failure } from '../../failure.ts';
import { createResultIndex, type IndexedResult, type ResultIndex } from './result-index.ts';

interface Merge {
  readonly index: ResultIndex;
  /** @throws Failure `usage` if two files answer the same item, or have different prompts for it */
  add(result: IndexedResult): void;
}

/** @param names the files' names in messages, by number */
export function createMerge(names: readonly string[]): Merge {
  const index = createResultIndex();
  return {
    index,
    add(result) {
      const earlier = index.get(result.index);
      if (earlier !== undefined && earlier.file !== result.file) {
        const files = `${names[earlier.file]} and ${names[result.file]}`;
        refuseConflict(earlier, result, files);
      }
      // A failure never replaces an answer.
      if (earlier?.isAnswered !== true || result.isAnswered) index.set(result);
    },
  };
}

function refuseConflict(earlier: IndexedResult, result: IndexedResult, files: string): void {
  const [one, other] = [earlier.fingerprint, result.fingerprint];
  if (one !== undefined && other !== undefined && one !== other) {
    throw new Failure('usage', `${files} belong to different inputs: see item ${result.index}`);
  }
  if (!earlier.isAnswered || !result.isAnswered) return;
  throw new Failure('usage', `item ${result.index} is answered twice, in ${files}`, {
    hint: 'leave one of the files out, or name the shards that belong together',
  });
}

interface MissingItems {
  readonly count: number;
  /** The first ranges, such as `3, 7-9`; ends in `…` if there are more. */
  readonly text: string;
}

const maxRanges = 10;

/** The items from 1 to the last result that have no result. */
export function missingItems(index: ResultIndex): MissingItems {
  const ranges: string[] = [];
  let count = 0;
  let rangeCount = 0;
  let start: number | undefined;
  for (let item = 1; item <= index.last(); item += 1) {
    if (index.get(item) === undefined) {
      count += 1;
      start ??= item;
      continue;
    }
    if (start === undefined) continue;
    rangeCount += 1;
    if (rangeCount <= maxRanges) {
      ranges.push(start === item - 1 ? String(start) : `${start}-${item - 1}`);
    }
    start = undefined;
  }
  return { count, text: ranges.join(', ') + (rangeCount > maxRanges ? ', …' : '') };
}
