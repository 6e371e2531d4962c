import fs from 'node:fs';
import { Failure } from '../failure.ts';
import { type HeldLock, holdLock, type HoldOptions } from '../storage/hold-lock.ts';
import { failureReason } from '../storage/storage-failure.ts';
import { isInOrder, resultBlocks, writeInOrder } from './copy-results.ts';
import { createResultIndex, type IndexedResult, type ResultIndex } from './result-index.ts';
import type { ResultLine } from './result-line.ts';
import { resultPlace } from './result-place.ts';
import { scanResults } from './scan-results.ts';

/**
 * The file of a batch's results, one JSON line each. A result is in it as soon as it is known, so that nothing is
 * asked twice, however natter ends; `finish` puts the lines in the order of their items.
 */
export interface ResultFile {
  /** The result that the file holds of an item. */
  find(index: number): IndexedResult | undefined;
  /** Highest index of the results that were there at the beginning; 0 without any. */
  readonly last: number;
  /** @throws Failure `storage`; the file then holds what it held before */
  append(result: ResultLine, line: string): void;
  /**
   * Ends the work: drops results that a later one of the same item replaced, and orders the rest if `ordered`.
   * @throws Failure `storage` when that cannot be written; the file is whole then, as it was
   */
  finish(ordered: boolean): void;
  /** Frees the file for others. */
  close(): void;
}

function cannotWrite(name: string, cause: unknown, hint: string): Failure {
  return new Failure('storage', `cannot write ${name}: ${failureReason(cause)}`, { hint, cause });
}

const notKept = 'what did not fit is on standard output; the same command asks it again';
const notOrdered =
  'all results are in it, though not in order; the same command puts them in order';

function lockFile(name: string, place: string, options: HoldOptions): HeldLock {
  const lock = holdLock(`${place}.lock`, options);
  if (lock.isHeld) return lock;
  const holder = lock.holder === undefined ? '' : `, process ${lock.holder.processId}`;
  throw new Failure('storage', `another natter${holder} writes ${name}`, {
    hint: `wait for it, or name another file; if no natter is running, delete ${name}.lock`,
  });
}

/** Reads what is there, and cuts off what was not written to its end. @returns bytes */
function readExisting(descriptor: number, name: string, index: ResultIndex): number {
  const { size, lacksLineEnd } = scanResults(descriptor, name, 0, (result) => {
    const before = index.get(result.index);
    // A failure never replaces an answer.
    if (before?.isAnswered !== true || result.isAnswered) index.set(result);
  });
  fs.ftruncateSync(descriptor, size);
  if (!lacksLineEnd) return size;
  fs.writeSync(descriptor, '\n', size);
  return size + 1;
}

/** Bytes of the results that count. */
function sizeOf(index: ResultIndex): number {
  let size = 0;
  for (let item = 1; item <= index.last(); item += 1) size += index.get(item)?.length ?? 0;
  return size;
}

interface OpenFile {
  readonly name: string;
  readonly place: string;
  readonly descriptor: number;
  readonly index: ResultIndex;
  readonly lock: HeldLock;
  readonly sizeBefore: number;
}

/** Appends in one call. @throws the system's error; the file is as it was then */
function appendAt(descriptor: number, bytes: Buffer, size: number): void {
  const written = fs.writeSync(descriptor, bytes, 0, bytes.length, size);
  if (written === bytes.length) return;
  fs.ftruncateSync(descriptor, size);
  throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
}

function resultFile({ name, place, descriptor, index, lock, sizeBefore }: OpenFile): ResultFile {
  let size = sizeBefore;
  let lines = 0;
  let isOpen = true;
  const close = () => {
    if (isOpen) fs.closeSync(descriptor);
    isOpen = false;
  };
  return {
    find: (item) => index.get(item),
    last: index.last(),
    append(result, line) {
      const bytes = Buffer.from(line);
      try {
        appendAt(descriptor, bytes, size);
      } catch (error) {
        throw cannotWrite(name, error, notKept);
      }
      index.set({ ...result, file: 0, offset: size, length: bytes.length });
      size += bytes.length;
      lines += 1;
      if (lines % 1000 === 0) lock.renew();
    },
    finish(ordered) {
      const isDone = ordered ? isInOrder(index, size) : sizeOf(index) === size;
      try {
        if (isDone) return fs.fdatasyncSync(descriptor);
        const { mode } = fs.fstatSync(descriptor);
        // Windows replaces no file that is open.
        writeInOrder(place, mode, resultBlocks(index, [descriptor]), close);
      } catch (error) {
        throw cannotWrite(name, error, notOrdered);
      }
    },
    close() {
      close();
      lock.release();
    },
  };
}

/**
 * Opens a file for results, and reads those it holds already.
 * @throws Failure `usage` for a file that holds anything else, `storage` when another natter writes it, or it
 * cannot be read or written
 */
export function openResultFile(name: string, options: HoldOptions): ResultFile {
  let lock: HeldLock | undefined;
  let descriptor: number | undefined;
  try {
    const place = resultPlace(name);
    lock = lockFile(name, place, options);
    descriptor = fs.openSync(place, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o666);
    const index = createResultIndex();
    const sizeBefore = readExisting(descriptor, name, index);
    return resultFile({ name, place, descriptor, index, lock, sizeBefore });
  } catch (error) {
    if (descriptor !== undefined) fs.closeSync(descriptor);
    lock?.release();
    if (error instanceof Failure) throw error;
    throw new Failure('storage', `cannot write ${name}: ${failureReason(error)}`, { cause: error });
  }
}
