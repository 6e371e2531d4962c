import { Failure } from '../../failure.ts';
import { createResultIndex, type IndexedResult, type ResultIndex } from './result-index.ts';

/** The results of several files, by item. */
export interface Merged {
  readonly index: ResultIndex;
  /** @throws Failure `usage` when two files answer the same item, or answer different prompts */
  add(result: IndexedResult): void;
}

/** @param names what messages call the files, by number */
export function createMerge(names: readonly string[]): Merged {
  const index = createResultIndex();
  const nameOf = (file: number) => names[file] ?? '';
  return {
    index,
    add(result) {
      const before = index.get(result.index);
      if (before !== undefined && before.file !== result.file) {
        refuseDouble(before, result, nameOf);
      }
      // A failure never replaces an answer.
      if (before?.isAnswered !== true || result.isAnswered) index.set(result);
    },
  };
}

function refuseDouble(
  before: IndexedResult,
  result: IndexedResult,
  nameOf: (file: number) => string,
): void {
  const files = `${nameOf(before.file)} and ${nameOf(result.file)}`;
  const [one, other] = [before.fingerprint, result.fingerprint];
  if (one !== undefined && other !== undefined && one !== other) {
    throw new Failure('usage', `${files} belong to different inputs: see item ${result.index}`);
  }
  if (!before.isAnswered || !result.isAnswered) return;
  throw new Failure('usage', `item ${result.index} is answered twice, in ${files}`, {
    hint: 'leave one of the files out, or name the shards that belong together',
  });
}

/** Gaps in what should be items 1, 2, 3 and so on. */
export interface Missing {
  readonly count: number;
  /** The first of them, as `3, 7-9`; ends in `…` where there are more. */
  readonly text: string;
}

const mostRanges = 10;

/** Which items have no result, up to the last that has one. */
export function missingItems(index: ResultIndex): Missing {
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
    if (rangeCount <= mostRanges) {
      ranges.push(start === item - 1 ? String(start) : `${start}-${item - 1}`);
    }
    start = undefined;
  }
  return { count, text: ranges.join(', ') + (rangeCount > mostRanges ? ', …' : '') };
}
