import type { ResultLine } from './result-line.ts';

/** Position of a result in bytes, line end included. */
interface ResultPlace {
  /** Number of the file, where there are several. */
  readonly file: number;
  readonly offset: number;
  readonly length: number;
}

export type IndexedResult = ResultLine & ResultPlace;

/** Where the result of each item lies: about 27 bytes an item, whatever results hold. */
export interface ResultIndex {
  /** Takes the place of an earlier result of the same item. */
  set(result: IndexedResult): void;
  get(index: number): IndexedResult | undefined;
  /** The highest index that has a result; 0 without any. */
  last(): number;
  /** Results; one for each item. */
  count(): number;
}

const absent = 0;
const failed = 1;
const answered = 2;
/** Beside these, that there is a fingerprint. */
const marked = 4;

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
      const mark = fingerprint === undefined ? 0 : marked;
      columns.state[index] = (isAnswered ? answered : failed) + mark;
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
        fingerprint: (state & marked) === 0 ? undefined : columns.fingerprint[index],
        file: columns.file[index] ?? 0,
        offset: columns.offset[index] ?? 0,
        length: columns.length[index] ?? 0,
      };
    },
    last: () => last,
    count: () => count,
  };
}
