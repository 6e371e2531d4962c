import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ProgramClock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { type HeldLock, holdLock, type HeldLockOptions } from '../../storage/lock/hold-lock.ts';
import { errorCode, failureReason } from '../../storage/storage-failure.ts';
import { removeFile } from '../../storage/remove-file.ts';
import { synchronizeFolder } from '../../storage/synchronize-folder.ts';
import { isInOrder, resultBlocks, writeInOrder } from './copy-results.ts';
import { type FileWatch, watchFile } from './file-watch.ts';
import { createKeptFile, type KeptFile } from './kept-file.ts';
import { indexResults } from './read-results.ts';
import { createResultIndex, type IndexedResult, type ResultIndex } from './result-index.ts';
import type { ResultLine } from './result-line.ts';
import { resultPlace } from './result-place.ts';
import { createSynchronization, type Synchronization } from './synchronization.ts';

/**
 * The file of a batch's results, one JSON line each. A result is in it as soon as it is known, so that nothing is
 * asked twice, however natter ends, and about a second later on the disk, so that not much is when the machine does;
 * `finish` puts the lines in the order of their items.
 */
export interface ResultFile {
  /** The result that the file holds of an item. */
  find(index: number): IndexedResult | undefined;
  /** Highest index of the results that were there at the beginning; 0 without any. */
  readonly last: number;
  /** Aborts when results can no longer be kept: within a second where the file is deleted, replaced or cut. */
  readonly broken: AbortSignal;
  /** The results, where no file holds them any more; else nothing. */
  unkept(): Iterable<Buffer>;
  /** @throws Failure `storage`; the file then lacks this result */
  append(result: ResultLine, line: string): void;
  /**
   * Ends the work: drops results that a later one of the same item replaced, and orders the rest if `ordered`. A
   * new file without a result stays if the run `isComplete`.
   * @throws Failure `storage` when that cannot be written; the file is whole then, as it was
   */
  finish(run: FinishedRun): Promise<void>;
  /** Frees the file for others. One that was not there before is gone again, if it has no result and its run was not complete. */
  close(): Promise<void>;
}

interface FinishedRun {
  readonly ordered: boolean;
  readonly isComplete: boolean;
}

export interface ResultFileOptions extends HeldLockOptions {
  readonly clock: ProgramClock;
  /** Resolves when the disk has what was written; tests pass one that fails. */
  readonly synchronize?: (descriptor: number) => Promise<void>;
  /** The file was deleted, and is written anew. */
  readonly onRewritten?: () => void;
}

function cannotWrite(name: string, cause: unknown, hint: string | undefined): Failure {
  const told = hint === undefined ? {} : { hint };
  return new Failure('storage', `cannot write ${name}: ${failureReason(cause)}`, {
    ...told,
    cause,
  });
}

const notKept = 'what did not fit is on standard output; run the same command again to retry it';
const notOnDisk =
  'the last results may be missing from it; run the same command again to retry them';
const notOrdered =
  'all results are in it, but not in order; run the same command again to sort them';

/** The lock of a file for results. @throws as {@link resultPlace} */
export const resultLock = (name: string) => `${resultPlace(name)}.lock`;

function lockFile(name: string, place: string, options: HeldLockOptions): HeldLock {
  const lock = holdLock(`${place}.lock`, options);
  if (lock.isHeld) return lock;
  const { holder } = lock;
  const who = holder === undefined ? '' : ` (process ${holder.processId} on ${holder.host})`;
  throw new Failure('storage', `another natter${who} is writing ${name}`, {
    hint: `wait for it, or name another file; if no natter is running, delete ${name}.lock`,
  });
}

/** What two processes write at their own places of one file, they would write over each other's. */
function refuseLost(lock: HeldLock, name: string): void {
  if (lock.isKept()) return;
  throw new Failure(
    'storage',
    `another natter is writing ${name}: this one was suspended for too long`,
    {
      hint: 'wait for it, then run the same command again for what is missing',
    },
  );
}

/** Reads what is there, and cuts off what was not written to its end. @returns bytes */
function readExisting(descriptor: number, name: string, index: ResultIndex): number {
  const { size, lacksLineEnd } = indexResults(descriptor, name, index);
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
  readonly kept: KeptFile;
  readonly index: ResultIndex;
  readonly lock: HeldLock;
  readonly watch: FileWatch;
  /** It was made just now. */
  readonly isNew: boolean;
  readonly synchronization: Synchronization;
}

function createAppend(file: OpenFile): ResultFile['append'] {
  const { name, kept, index, lock, synchronization, watch } = file;
  return (result, line) => {
    if (synchronization.refusal() !== undefined || !lock.isKept()) watch.look();
    watch.throwIfBroken();
    const bytes = Buffer.from(line);
    const offset = kept.size();
    try {
      kept.append(bytes);
    } catch (error) {
      throw error instanceof Failure ? error : cannotWrite(name, error, notKept);
    }
    synchronization.written();
    index.set({ ...result, file: 0, offset, length: bytes.length });
  };
}

function resultFile(file: OpenFile): ResultFile {
  const { name, place, kept, index, lock, isNew, synchronization, watch } = file;
  let isOpen = true;
  let isFinished = false;
  const closeDescriptor = () => {
    if (isOpen) kept.close();
    isOpen = false;
  };
  return {
    find: (item) => index.get(item),
    last: index.last(),
    append: createAppend(file),
    broken: watch.broken,
    unkept: () => kept.unkept(),
    async finish({ ordered, isComplete }) {
      await synchronization.end();
      watch.look();
      watch.throwIfBroken();
      const size = kept.size();
      const isDone = ordered ? isInOrder(index, size) : sizeOf(index) === size;
      const descriptor = kept.descriptor();
      try {
        // Also of a file that is about to be replaced: after a crash the disk may know of the old one only.
        fs.fdatasyncSync(descriptor);
        // Windows replaces no file that is open.
        if (!isDone) writeInOrder(place, resultBlocks(index, [descriptor]), closeDescriptor);
        isFinished = isComplete;
      } catch (error) {
        throw cannotWrite(name, error, notOrdered);
      }
    },
    async close() {
      watch.end();
      await synchronization.end();
      const isEmpty = kept.size() === 0;
      closeDescriptor();
      const isOurs = lock.isKept() && !watch.broken.aborted;
      if (isNew && !isFinished && isEmpty && isOurs) removeFile(place);
      lock.release();
    },
  };
}

/** @throws Failure `storage` where what was written is not kept */
function checkFile({ name, kept, lock, synchronization }: Omit<OpenFile, 'watch'>): void {
  refuseLost(lock, name);
  try {
    const refusal = synchronization.refusal();
    if (refusal !== undefined) throw refusal;
    kept.check();
  } catch (error) {
    throw error instanceof Failure ? error : cannotWrite(name, error, notOnDisk);
  }
}

function openNew(place: string): { readonly descriptor: number; readonly isNew: boolean } {
  const isNew = !fs.existsSync(place);
  const descriptor = fs.openSync(place, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o666);
  if (isNew) synchronizeFolder(path.dirname(place));
  return { descriptor, isNew };
}

/**
 * Opens a file for results, and reads those it holds already.
 * @throws Failure `usage` for a file that holds anything else, `storage` when another natter writes it, or it
 * cannot be read or written
 */
export function openResultFile(name: string, options: ResultFileOptions): ResultFile {
  let lock: HeldLock | undefined;
  let opened: ReturnType<typeof openNew> | undefined;
  try {
    const place = resultPlace(name);
    lock = lockFile(name, place, options);
    opened = openNew(place);
    const { descriptor } = opened;
    const index = createResultIndex();
    const size = readExisting(descriptor, name, index);
    const { clock, synchronize = promisify(fs.fdatasync), onRewritten = () => undefined } = options;
    const kept = createKeptFile({ name, place, descriptor, size, onRewritten });
    const synchronization = createSynchronization(() => synchronize(kept.descriptor()), clock);
    const { isNew } = opened;
    const file = { name, place, isNew, kept, index, lock, synchronization };
    return resultFile({ ...file, watch: watchFile(() => checkFile(file), clock) });
  } catch (error) {
    if (opened !== undefined) fs.closeSync(opened.descriptor);
    lock?.release();
    if (error instanceof Failure) throw error;
    const isFolderMissing = errorCode(error) === 'ENOENT';
    throw cannotWrite(
      name,
      error,
      isFolderMissing ? `create ${path.dirname(name)} first` : undefined,
    );
  }
}
