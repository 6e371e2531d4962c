import { Failure } from '../../failure.ts';

/** The data of a result line that batches read back. */
export interface ResultLine {
  /** Index of the item, from 1. */
  readonly index: number;
  /** The fingerprint of the prompt, 16 hexadecimal digits; undefined for an item that could not be sent. */
  readonly fingerprint: string | undefined;
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

const isAnswered = 1;
const isFromSandbox = 2;

/** Items of a block, so that nothing is copied when the index grows. */
const blockSize = 1 << 16;

const createBlock = () => ({
  flags: new Uint8Array(blockSize),
  file: new Uint16Array(blockSize),
  offset: new Float64Array(blockSize),
  // A line has less than 4 GB: it is a string. 0 is no result.
  length: new Uint32Array(blockSize),
  // 0 is none: a fingerprint of 64 zero bits is as unlikely as two equal ones.
  fingerprint: new BigUint64Array(blockSize),
});

/**
 * Positions of results by item, in 23 bytes for each: objects for a million items need 200 MB, and each fingerprint would
 * keep the line that it is a part of in memory.
 */
export class ResultIndex {
  readonly #blocks = new Map<number, ReturnType<typeof createBlock>>();
  /** The highest index with a result; 0 without any. */
  last = 0;
  count = 0;

  /** Replaces an earlier result of the same item; a failure never replaces an answer. */
  add(result: IndexedResult): void {
    const { index, fingerprint, file, offset, length } = result;
    const number = Math.floor(index / blockSize);
    const block = this.#blocks.get(number) ?? createBlock();
    this.#blocks.set(number, block);
    const at = index % blockSize;
    if (!result.isAnswered && ((block.flags[at] ?? 0) & isAnswered) !== 0) return;
    if (block.length[at] === 0) this.count += 1;
    block.flags[at] =
      (result.isAnswered ? isAnswered : 0) + (result.isFromSandbox === true ? isFromSandbox : 0);
    block.file[at] = file;
    block.offset[at] = offset;
    block.length[at] = length;
    block.fingerprint[at] = BigInt(`0x${fingerprint ?? '0'}`);
    this.last = Math.max(this.last, index);
  }

  find(index: number): IndexedResult | undefined {
    const block = this.#blocks.get(Math.floor(index / blockSize));
    const at = index % blockSize;
    const flags = block?.flags[at] ?? 0;
    if (block === undefined || block.length[at] === 0) return undefined;
    const fingerprint = block.fingerprint[at] || undefined;
    return {
      index,
      fingerprint: fingerprint?.toString(16).padStart(16, '0'),
      isAnswered: (flags & isAnswered) !== 0,
      isFromSandbox: (flags & isFromSandbox) !== 0,
      file: block.file[at] ?? 0,
      offset: block.offset[at] ?? 0,
      length: block.length[at] ?? 0,
    };
  }

  /** All results in the order of the items. */
  *results(): Generator<IndexedResult, void> {
    for (let index = 1; index <= this.last; index += 1) {
      const result = this.find(index);
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
  const earlier = index.find(result.index);
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
export function missingItems(index: ResultIndex) {
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
