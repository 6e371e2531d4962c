/** The data of a result line that batches read back. */
export interface ResultLine {
  /** Index of the item, from 1. */
  readonly index: number;
  /** Of the prompt; undefined for an item that could not be sent. */
  readonly fingerprint: bigint | undefined;
  /** The answer is complete. */
  readonly isAnswered: boolean;
  /** The id of the completion is one of the sandbox. */
  readonly isFromSandbox?: boolean;
  /** The model that was asked, if the result shows it. */
  readonly model?: string | undefined;
}

export interface WrittenResult extends ResultLine {
  /** With its line end. */
  readonly text: string;
}

export interface ByteRange {
  /** Number of the file, from 0. */
  readonly file: number;
  readonly offset: number;
  readonly length: number;
}

/** A result and its bytes in a file, line end included. */
export interface IndexedResult extends ResultLine, ByteRange {}

/** Positions of results by item: about 24 bytes per item, independent of the size of the results. */
export interface ResultIndex {
  /** Replaces an earlier result of the same item. */
  set(result: IndexedResult): void;
  get(index: number): IndexedResult | undefined;
  /** Where the result is. */
  range(index: number): ByteRange | undefined;
  /** The highest index with a result; 0 without any. */
  last(): number;
  count(): number;
}

const absent = 0;
const failed = 1;
const answered = 2;
/** A flag beside the others: the result has a fingerprint. */
const hasFingerprint = 4;
/** A flag beside the others: the sandbox has answered. */
const fromSandbox = 8;

/** Items of a block. Columns of all items would be copied when they grow, and need twice the memory for a while. */
const blockSize = 1 << 16;

function createBlock() {
  return {
    state: new Uint8Array(blockSize),
    file: new Uint16Array(blockSize),
    offset: new Float64Array(blockSize),
    // A line has less than 4 GB: it is a string.
    length: new Uint32Array(blockSize),
    fingerprint: new BigUint64Array(blockSize),
    /** Position in the list of models; 0 for an unknown one. */
    model: new Uint8Array(blockSize),
  };
}

type Block = ReturnType<typeof createBlock>;

/** More are unknown. */
const mostModels = 255;

/** Numbers the models, from 1. */
function createModelNumbers() {
  const names: string[] = [];
  return {
    nameOf: (number = 0) => names[number - 1],
    numberOf(name: string | undefined): number {
      if (name === undefined) return 0;
      const known = names.indexOf(name) + 1;
      return known > 0 || names.length === mostModels ? known : names.push(name);
    },
  };
}

function readRange({ file, offset, length }: Block, at: number): ByteRange {
  return { file: file[at] ?? 0, offset: offset[at] ?? 0, length: length[at] ?? 0 };
}

function readBlock(
  block: Block,
  at: number,
  index: number,
  models: ReturnType<typeof createModelNumbers>,
): IndexedResult | undefined {
  const state = block.state[at] ?? absent;
  if (state === absent) return undefined;
  return {
    index,
    model: models.nameOf(block.model[at]),
    isAnswered: (state & answered) !== 0,
    isFromSandbox: (state & fromSandbox) !== 0,
    fingerprint: (state & hasFingerprint) === 0 ? undefined : block.fingerprint[at],
    ...readRange(block, at),
  };
}

export function createResultIndex(): ResultIndex {
  const blocks = new Map<number, Block>();
  const models = createModelNumbers();
  let last = 0;
  let count = 0;

  function blockOf(index: number): Block {
    const number = Math.floor(index / blockSize);
    const block = blocks.get(number) ?? createBlock();
    blocks.set(number, block);
    return block;
  }
  return {
    set({ index, fingerprint, isAnswered, isFromSandbox, model, file, offset, length }) {
      const block = blockOf(index);
      const at = index % blockSize;
      if (block.state[at] === absent) count += 1;
      const flag = fingerprint === undefined ? 0 : hasFingerprint;
      const origin = isFromSandbox === true ? fromSandbox : 0;
      block.state[at] = (isAnswered ? answered : failed) + flag + origin;
      block.file[at] = file;
      block.offset[at] = offset;
      block.length[at] = length;
      block.fingerprint[at] = fingerprint ?? 0n;
      block.model[at] = models.numberOf(model);
      last = Math.max(last, index);
    },
    get(index) {
      const block = blocks.get(Math.floor(index / blockSize));
      return block && readBlock(block, index % blockSize, index, models);
    },
    range(index) {
      const block = blocks.get(Math.floor(index / blockSize));
      const at = index % blockSize;
      return block === undefined || block.state[at] === absent ? undefined : readRange(block, at);
    },
    last: () => last,
    count: () => count,
  };
}
