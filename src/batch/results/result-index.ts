/** The data of a result line that batches read back. */
export interface ResultLine {
  /** Index of the item, from 1. */
  readonly index: number;
  /** Of the prompt; undefined for an item that could not be sent. */
  readonly fingerprint: bigint | undefined;
  /** The answer is complete. */
  readonly isAnswered: boolean;
}

export interface WrittenResult extends ResultLine {
  /** With its line end. */
  readonly text: string;
}

/** A result and its bytes in a file, line end included. */
export interface IndexedResult extends ResultLine {
  /** Number of the file, from 0. */
  readonly file: number;
  readonly offset: number;
  readonly length: number;
}

/** Positions of results by item: about 27 bytes per item, independent of the size of the results. */
export interface ResultIndex {
  /** Replaces an earlier result of the same item. */
  set(result: IndexedResult): void;
  get(index: number): IndexedResult | undefined;
  /** The highest index with a result; 0 without any. */
  last(): number;
  count(): number;
}

const absent = 0;
const failed = 1;
const answered = 2;
/** A flag beside the others: the result has a fingerprint. */
const hasFingerprint = 4;

const firstSize = 1024;

function createColumns(size: number) {
  return {
    state: new Uint8Array(size),
    file: new Uint16Array(size),
    offset: new Float64Array(size),
    length: new Float64Array(size),
    fingerprint: new BigUint64Array(size),
  };
}

type Columns = ReturnType<typeof createColumns>;

function grown(old: Columns, size: number): Columns {
  const columns = createColumns(size);
  columns.state.set(old.state);
  columns.file.set(old.file);
  columns.offset.set(old.offset);
  columns.length.set(old.length);
  columns.fingerprint.set(old.fingerprint);
  return columns;
}

export function createResultIndex(): ResultIndex {
  let columns = createColumns(firstSize);
  let last = 0;
  let count = 0;
  return {
    set({ index, fingerprint, isAnswered, file, offset, length }) {
      while (index >= columns.state.length) columns = grown(columns, columns.state.length * 2);
      if (columns.state[index] === absent) count += 1;
      const flag = fingerprint === undefined ? 0 : hasFingerprint;
      columns.state[index] = (isAnswered ? answered : failed) + flag;
      columns.file[index] = file;
      columns.offset[index] = offset;
      columns.length[index] = length;
      columns.fingerprint[index] = fingerprint ?? 0n;
      last = Math.max(last, index);
    },
    get(index) {
      const state = columns.state[index] ?? absent;
      if (state === absent) return undefined;
      return {
        index,
        isAnswered: (state & answered) !== 0,
        fingerprint: (state & hasFingerprint) === 0 ? undefined : columns.fingerprint[index],
        file: columns.file[index] ?? 0,
        offset: columns.offset[index] ?? 0,
        length: columns.length[index] ?? 0,
      };
    },
    last: () => last,
    count: () => count,
  };
}
