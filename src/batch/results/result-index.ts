import { Failure } from '../../failure.ts';

/** The data of a result line that batches read back. */
export interface ResultLine {
  /** Index of the item, from 1. */
  readonly index: number;
  /** Of the prompt; undefined for an item that could not be sent. */
  readonly fingerprint: string | undefined;
  /** The answer is complete. */
  readonly isAnswered: boolean;
  /** The id of the completion is one of the sandbox. */
  readonly isFromSandbox?: boolean;
}

/** A result and its bytes in a file, line end included. */
export interface IndexedResult extends ResultLine {
  /** Number of the file, from 0. */
  readonly file: number;
  readonly offset: number;
  readonly length: number;
}

/** Positions of results by item: some 150 bytes for each. */
export class ResultIndex {
  readonly #results = new Map<number, IndexedResult>();
  /** The highest index with a result; 0 without any. */
  last = 0;

  get count(): number {
    return this.#results.size;
  }

  /** Replaces an earlier result of the same item; a failure never replaces an answer. */
  add(result: IndexedResult): void {
    const { index } = result;
    if (this.get(index)?.isAnswered === true && !result.isAnswered) return;
    this.#results.set(index, result);
    this.last = Math.max(this.last, index);
  }

  get(index: number): IndexedResult | undefined {
    return this.#results.get(index);
  }

  /** All results in the order of the items. */
  *results(): Generator<IndexedResult, void> {
    for (let index = 1; index <= this.last; index += 1) {
      const result = this.get(index);
      if (result !== undefined) yield result;
    }
  }
}

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
