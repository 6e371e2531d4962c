import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { GuardedFile } from './guarded-file.ts';
import { readExisting, resultsPath } from './read-results.ts';
import {
  createResultIndex,
  type IndexedResult,
  type ResultIndex,
  type WrittenResult,
} from './result-index.ts';
import type { ResultFormat } from './result-line.ts';
import { isInOrder, replaceResults, resultBlocks, sizeOf } from './write-results.ts';
import type { Clock, ProgramClock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { removeFile, synchronizeFolder } from '../../storage/files.ts';
import { type HeldLock, holdLock, type LockOptions } from '../../storage/lock/lock.ts';
import { errorCode, failureReason } from '../../storage/storage-failure.ts';

/** Milliseconds between two checks, and between two flushes: a machine crash loses at most these writes. */
const interval = 1000;

/** Checks a file once per second. */
interface FileWatch {
  /** Aborts with the error of the check. */
  readonly broken: AbortSignal;
  /** Checks now. Never throws, see `broken`. */
  check(): void;
  end(): void;
}

/** @param act throws if the file cannot be used any more; is not called again then */
function watchFile(act: () => void, clock: ProgramClock): FileWatch {
  const controller = new AbortController();
  const { signal: broken } = controller;
  const check = () => {
    if (broken.aborted) return;
    try {
      act();
    } catch (error) {
      controller.abort(error);
    }
  };
  return {
    broken,
    check,
    end: clock.repeat(interval, check),
  };
}

/** Flushes the writes to a file to the disk in the background. */
interface Synchronization {
  /** Reports a write: it is on the disk about a second later. */
  written(): void;
  /** The first error of a flush; undefined without one. */
  error(): unknown;
  /** Starts no more flushes and waits for the current one. Never rejects, see `error`. */
  end(): Promise<void>;
}

/** @param flush resolves when all earlier writes are on the disk */
export function createSynchronization(flush: () => Promise<void>, clock: Clock): Synchronization {
  const ending = new AbortController();
  let isPending = false;
  let firstError: unknown;
  let running: Promise<void> | undefined;
  const flushPending = async () => {
    try {
      while (isPending && !ending.signal.aborted) {
        isPending = false;
        await flush();
        await clock.sleep(interval, ending.signal);
      }
    } catch (error) {
      if (!ending.signal.aborted || error !== ending.signal.reason) firstError ??= error;
    } finally {
      running = undefined;
    }
  };
  return {
    written() {
      isPending = true;
      if (firstError === undefined && !ending.signal.aborted) running ??= flushPending();
    },
    error: () => firstError,
    async end() {
      ending.abort();
      await running;
    },
  };
}

/**
 * The results file of a batch, one JSON line per result. Each result is appended at once, so that no item is sent
 * again however natter ends, and is on the disk about a second later. `finish` sorts the lines by item.
 */
export interface ResultFile {
  /** The result of an item. */
  find(index: number): IndexedResult | undefined;
  /** Highest index with a result when the file was opened; 0 without any. */
  readonly last: number;
  /** Aborts when results cannot be saved any more: within a second after the file is replaced or truncated. */
  readonly broken: AbortSignal;
  /** The results, if no file has them any more; else nothing. */
  unsaved(): Iterable<Buffer>;
  /** @throws Failure `storage`; the file has none of these results then */
  append(results: readonly WrittenResult[]): void;
  /**
   * Removes results that a later one replaced, and sorts the others if `ordered`. A new file without results stays
   * if the run `isComplete`.
   * @throws Failure `storage`; the file is unchanged then
   */
  finish(run: FinishedRun): Promise<void>;
  /** Releases the lock. Removes a new file that has no result, unless the run was complete. */
  close(): Promise<void>;
}

interface FinishedRun {
  readonly ordered: boolean;
  readonly isComplete: boolean;
}

interface ResultFileOptions extends LockOptions {
  /** Of the existing results, and of those that are appended. */
  readonly format?: ResultFormat;
  readonly clock: ProgramClock;
  /** Flushes a file to the disk; tests pass one that fails. */
  readonly synchronize?: (descriptor: number) => Promise<void>;
  /** The file was deleted and has been written again. */
  readonly onRewritten?: () => void;
}

function cannotWrite(name: string, cause: unknown, hint: string | undefined): Failure {
  return new Failure('storage', `cannot write ${name}: ${failureReason(cause)}`, {
    ...(hint === undefined ? {} : { hint }),
    cause,
  });
}

const notSaved =
  'the results that did not fit are on standard output; run the same command again to retry it';
const notOnDisk =
  'the last results may be missing from it; run the same command again to retry them';
const notOrdered =
  'all results are in it, but not in order; run the same command again to sort them';

function cannotOpen(name: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const isFolderMissing = errorCode(error) === 'ENOENT';
  return cannotWrite(
    name,
    error,
    isFolderMissing ? `create ${path.dirname(name)} first` : undefined,
  );
}

/** The path of a results file's lock. @throws Failure `usage` or `storage`, as {@link openResultFile} */
export function resultLock(name: string): string {
  try {
    return `${resultsPath(name)}.lock`;
  } catch (error) {
    throw cannotOpen(name, error);
  }
}

function lockFile(name: string, realPath: string, options: LockOptions): HeldLock {
  const lock = holdLock(`${realPath}.lock`, options);
  if (lock.isHeld) return lock;
  const { holder } = lock;
  const who = holder === undefined ? '' : ` (process ${holder.processId} on ${holder.host})`;
  const file = realPath === path.resolve(name) ? name : realPath;
  throw new Failure('storage', `another natter${who} is writing ${name}`, {
    hint: `wait for it, or use a different file; if no natter is running, delete ${file}.lock`,
  });
}

/** Two processes that append at their own offsets would overwrite each other's results. */
function refuseLostLock(lock: HeldLock, name: string): void {
  if (lock.isKept()) return;
  throw new Failure(
    'storage',
    `another natter is writing ${name}: this one was suspended for too long`,
    {
      hint: 'wait for it, then run the same command again for what is missing',
    },
  );
}

interface OpenFile {
  readonly name: string;
  readonly realPath: string;
  readonly guarded: GuardedFile;
  readonly index: ResultIndex;
  readonly lock: HeldLock;
  readonly watch: FileWatch;
  /** It did not exist before. */
  readonly isNew: boolean;
  readonly synchronization: Synchronization;
}

function createAppend(file: OpenFile): ResultFile['append'] {
  const { name, guarded, index, lock, synchronization, watch } = file;
  return (results) => {
    if (synchronization.error() !== undefined || !lock.isKept()) watch.check();
    watch.broken.throwIfAborted();
    let offset = guarded.size();
    const lines = results.map(({ text }) => Buffer.from(text));
    try {
      guarded.append(Buffer.concat(lines));
    } catch (error) {
      throw error instanceof Failure ? error : cannotWrite(name, error, notSaved);
    }
    synchronization.written();
    for (const [at, { index: item, fingerprint, isAnswered }] of results.entries()) {
      const length = lines[at]?.length ?? 0;
      index.set({ index: item, fingerprint, isAnswered, file: 0, offset, length });
      offset += length;
    }
  };
}

function resultFile(file: OpenFile): ResultFile {
  const { name, realPath, guarded, index, lock, isNew, synchronization, watch } = file;
  let isOpen = true;
  let isFinished = false;
  const closeDescriptor = () => {
    if (isOpen) guarded.close();
    isOpen = false;
  };
  return {
    find: (item) => index.get(item),
    last: index.last(),
    append: createAppend(file),
    broken: watch.broken,
    unsaved: () => guarded.unsaved(),
    async finish({ ordered, isComplete }) {
      await synchronization.end();
      watch.check();
      watch.broken.throwIfAborted();
      const size = guarded.size();
      const isDone = ordered ? isInOrder(index, size) : sizeOf(index) === size;
      const descriptor = guarded.descriptor();
      try {
        // Also before the file is replaced: after a crash, the disk may have the old file only.
        fs.fdatasyncSync(descriptor);
        // Windows does not replace an open file.
        if (!isDone) replaceResults(realPath, resultBlocks(index, [descriptor]), closeDescriptor);
        isFinished = isComplete;
      } catch (error) {
        throw cannotWrite(name, error, notOrdered);
      }
    },
    async close() {
      watch.end();
      await synchronization.end();
      const isEmpty = guarded.size() === 0;
      closeDescriptor();
      const isOurs = lock.isKept() && !watch.broken.aborted;
      if (isNew && !isFinished && isEmpty && isOurs) removeFile(realPath);
      lock.release();
    },
  };
}

/** @throws Failure `storage` if results cannot be saved any more */
function checkFile({ name, guarded, lock, synchronization }: Omit<OpenFile, 'watch'>): void {
  refuseLostLock(lock, name);
  try {
    const diskError = synchronization.error();
    if (diskError !== undefined) throw diskError;
    guarded.check();
  } catch (error) {
    throw error instanceof Failure ? error : cannotWrite(name, error, notOnDisk);
  }
}

function openOrCreate(realPath: string) {
  const isNew = !fs.existsSync(realPath);
  const descriptor = fs.openSync(realPath, fs.constants.O_RDWR | fs.constants.O_CREAT);
  if (isNew) synchronizeFolder(path.dirname(realPath));
  return { descriptor, isNew };
}

/**
 * Opens a results file, reads its results, and holds its lock until `close`.
 * @throws Failure `usage` if the file has other content, `storage` if another natter is writing it or it cannot be
 * read or written
 */
export function openResultFile(name: string, options: ResultFileOptions): ResultFile {
  let lock: HeldLock | undefined;
  let opened: ReturnType<typeof openOrCreate> | undefined;
  try {
    const realPath = resultsPath(name);
    lock = lockFile(name, realPath, options);
    opened = openOrCreate(realPath);
    const { descriptor, isNew } = opened;
    const index = createResultIndex();
    const { format = 'jsonl' } = options;
    const size = readExisting(descriptor, name, index, format);
    const { clock, synchronize = promisify(fs.fdatasync), onRewritten = () => undefined } = options;
    const guarded = new GuardedFile({ name, realPath, descriptor, size, onRewritten });
    const synchronization = createSynchronization(() => synchronize(guarded.descriptor()), clock);
    const file = { name, realPath, isNew, guarded, index, lock, synchronization };
    return resultFile({ ...file, watch: watchFile(() => checkFile(file), clock) });
  } catch (error) {
    if (opened !== undefined) fs.closeSync(opened.descriptor);
    lock?.release();
    throw cannotOpen(name, error);
  }
}
