import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { resultsPath, scanResults } from './read-results.ts';
import { type IndexedResult, ResultIndex, type ResultLine } from './result-index.ts';
import { fileBlocks, replaceWithTexts, resultTexts } from './write-results.ts';
import { Failure } from '../../failure.ts';
import { makePrivateFolder, removeFile, synchronizeFolder } from '../../storage/files.ts';
import { type HeldLock, holderText, holdLock, type LockOptions } from '../../storage/lock.ts';
import { errorCode, failureReason } from '../../storage/storage-failure.ts';

/** Milliseconds between two checks, and between two flushes: a machine crash loses at most these writes. */
const interval = 1000;

interface ResultFileOptions extends LockOptions {
  /** The file was deleted and has been written again. */
  readonly onRewritten?: () => void;
}

/** A failure as it is; any other error as that of a file that cannot be written. */
export function cannotWrite(name: string, cause: unknown, hint?: string): Failure {
  if (cause instanceof Failure) return cause;
  return new Failure('storage', `cannot write ${name}: ${failureReason(cause)}`, { hint, cause });
}

/** Runs an action on a file that is to be opened. @throws Failure `usage` or `storage` */
function opening<Result>(name: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    const isFolderMissing = errorCode(error) === 'ENOENT';
    const hint = isFolderMissing ? `create ${path.dirname(name)} first` : undefined;
    throw cannotWrite(name, error, hint);
  }
}

/** The path of a results file's lock. @throws Failure `usage` or `storage`, as {@link openResultFile} */
export const resultLock = (name: string): string =>
  opening(name, () => `${resultsPath(name)}.lock`);

/** Whether `file` is the open one. Some file systems change inode numbers; size and time then identify the file. */
function isSameFile(file: string, descriptor: number): boolean {
  if (!fs.existsSync(file)) return false;
  const [found, own] = [fs.statSync(file), fs.fstatSync(descriptor)];
  return found.ino === own.ino || (found.size === own.size && found.mtimeMs === own.mtimeMs);
}

/** Copies an open file to the first unused path: its own, after it was deleted, else one beside it. */
function copyToUnused(file: string, source: number, size: number) {
  const folder = path.dirname(file);
  const { mode } = fs.fstatSync(source);
  makePrivateFolder(folder);
  for (let number = 0; ; number += 1) {
    const copy = file + (['', '.kept'][number] ?? `.kept-${number}`);
    let target: number;
    try {
      target = fs.openSync(copy, 'wx+', mode);
    } catch (error) {
      if (errorCode(error) === 'EEXIST') continue;
      throw error;
    }
    try {
      // The umask may have removed permissions. File systems without permissions refuse even an unchanged mode.
      if (fs.fstatSync(target).mode !== mode) fs.fchmodSync(target, mode);
      for (const block of fileBlocks(source, size)) fs.writeFileSync(target, block);
      fs.fdatasyncSync(target);
      synchronizeFolder(folder);
      return { copy, target };
    } catch (error) {
      fs.closeSync(target);
      removeFile(copy);
      throw error;
    }
  }
}

/**
 * The results file of a batch, one JSON line per result.
 *
 * - Each result is appended at once, so that no item is sent again however natter ends. It is on the disk about a second
 *   later.
 * - The results survive when other programs delete, replace or truncate the file, which is checked once per second.
 * - Nothing is written after another natter took the lock.
 */
export class ResultFile {
  /** Highest index with a result when the file was opened; 0 without any. */
  readonly last: number;
  readonly #name: string;
  readonly #realPath: string;
  readonly #options: ResultFileOptions;
  readonly #lock: HeldLock;
  readonly #index = new ResultIndex();
  readonly #broken = new AbortController();
  readonly #endChecks: () => void;
  #descriptor: number;
  #size: number;
  #isOpen = true;
  /** A new file is removed at the end if it has no result, unless the run was complete. */
  #isRemovable: boolean;
  /** No path leads to the results any more. */
  #isUnsaved = false;
  #isFlushed = true;
  #flush: Promise<void> | undefined;

  /** @throws Failure `usage` if the file has other content; the system's error */
  constructor(name: string, realPath: string, lock: HeldLock, options: ResultFileOptions) {
    this.#name = name;
    this.#realPath = realPath;
    this.#options = options;
    this.#lock = lock;
    this.#isRemovable = !fs.existsSync(realPath);
    this.#descriptor = fs.openSync(realPath, fs.constants.O_RDWR | fs.constants.O_CREAT);
    try {
      if (this.#isRemovable) synchronizeFolder(path.dirname(realPath));
      const add = (result: IndexedResult) => this.#index.add(result);
      const found = scanResults(this.#descriptor, name, 0, add);
      // What follows the last result was not written completely.
      fs.ftruncateSync(this.#descriptor, found.size);
      if (found.lacksLineEnd) fs.writeSync(this.#descriptor, '\n', found.size);
      this.#size = found.size + (found.lacksLineEnd ? 1 : 0);
    } catch (error) {
      fs.closeSync(this.#descriptor);
      throw error;
    }
    this.last = this.#index.last;
    this.#endChecks = options.clock.repeat(interval, () => {
      // A flush that takes longer uses the descriptor, which a check may close.
      if (this.#flush !== undefined) return;
      this.#check();
      if (this.#isFlushed || this.broken.aborted) return;
      this.#isFlushed = true;
      this.#flush = promisify(fs.fdatasync)(this.#descriptor)
        .catch((error: unknown) => this.#break(error))
        .finally(() => (this.#flush = undefined));
    });
  }

  /** Aborts when results cannot be saved any more: within a second after the file is replaced or truncated. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  find(item: number): IndexedResult | undefined {
    return this.#index.find(item);
  }

  /** @param text with its line end @throws Failure `storage`; the file does not have the result then */
  append(result: ResultLine, text: string): void {
    if (!this.#lock.isKept()) this.#check();
    this.broken.throwIfAborted();
    const bytes = Buffer.from(text);
    const [offset, { length }] = [this.#size, bytes];
    try {
      this.#refuseChanged(fs.fstatSync(this.#descriptor).size);
      if (fs.writeSync(this.#descriptor, bytes, 0, length, offset) < length) {
        fs.ftruncateSync(this.#descriptor, offset);
        throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
      }
    } catch (error) {
      throw cannotWrite(
        this.#name,
        error,
        'the results that did not fit are on standard output; run the same command again to retry it',
      );
    }
    this.#size += length;
    this.#isFlushed = false;
    this.#index.add({ ...result, file: 0, offset, length });
  }

  /** The results, if no file has them any more; else nothing. */
  unsaved(): Iterable<string> {
    return this.#isUnsaved ? resultTexts(this.#index, [this.#descriptor]) : [];
  }

  /**
   * Removes results that a later one replaced, and sorts the others if `ordered`. A new file without results stays if
   * the run `isComplete`.
   * @throws Failure `storage`; the file is unchanged then
   */
  async finish(ordered: boolean, isComplete: boolean): Promise<void> {
    this.#endChecks();
    await this.#flush;
    this.#check();
    this.broken.throwIfAborted();
    try {
      // Also before the file is replaced: after a crash, the disk may have the old file only.
      fs.fdatasyncSync(this.#descriptor);
      if (!this.#isTidy(ordered)) {
        const texts = resultTexts(this.#index, [this.#descriptor]);
        // Windows does not replace an open file.
        await replaceWithTexts(this.#realPath, texts, () => this.#closeDescriptors());
      }
      this.#isRemovable &&= !isComplete;
    } catch (error) {
      throw cannotWrite(
        this.#name,
        error,
        'all results are in it, but not in order; run the same command again to sort them',
      );
    }
  }

  /** Releases the lock. */
  async close(): Promise<void> {
    this.#endChecks();
    await this.#flush;
    this.#closeDescriptors();
    if (this.#isRemovable && this.#size === 0 && this.#lock.isKept() && !this.broken.aborted)
      removeFile(this.#realPath);
    this.#lock.release();
  }

  /** Whether the file has each result once and nothing else, and in item order if `ordered`. */
  #isTidy(ordered: boolean): boolean {
    let end = 0;
    for (const { offset, length } of this.#index.results()) {
      if (ordered && offset !== end) return false;
      end += length;
    }
    return end === this.#size;
  }

  #closeDescriptors(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    fs.closeSync(this.#descriptor);
  }

  #break(error: unknown): void {
    this.#broken.abort(
      cannotWrite(
        this.#name,
        error,
        'the last results may be missing from it; run the same command again to retry them',
      ),
    );
  }

  /** Never throws, see `broken`. */
  #check(): void {
    if (this.broken.aborted) return;
    try {
      if (!this.#lock.isKept()) {
        // Two processes that append at their own offsets would overwrite each other's results.
        const message = `another natter is writing ${this.#name}: this one was suspended for too long`;
        throw new Failure('storage', message, {
          hint: 'wait for it, then run the same command again for what is missing',
        });
      }
      if (!isSameFile(this.#realPath, this.#descriptor)) this.#rescue();
      // The next append refuses a larger file, after the lock was checked.
      const { size } = fs.fstatSync(this.#descriptor);
      if (size < this.#size) this.#refuseChanged(size);
    } catch (error) {
      this.#break(error);
    }
  }

  /** @throws Failure `storage` if the size is not the one that natter wrote */
  #refuseChanged(found: number): void {
    if (found === this.#size) return;
    const change = found < this.#size ? 'truncated' : 'wrote to';
    throw new Failure('storage', `another program ${change} ${this.#name} during the run`, {
      hint: 'run the same command again for what is missing; later results are on standard output',
    });
  }

  /** Saves the results of a file that was deleted or replaced. @throws Failure `storage` unless it was only deleted */
  #rescue(): void {
    let rescued;
    try {
      rescued = copyToUnused(this.#realPath, this.#descriptor, this.#size);
    } catch (error) {
      this.#isUnsaved = true;
      const message = `${this.#name} was deleted or replaced during the run: ${failureReason(error)}`;
      throw new Failure('storage', message, {
        hint: 'the results are on standard output',
        cause: error,
      });
    }
    const { copy, target } = rescued;
    fs.closeSync(this.#descriptor);
    this.#descriptor = target;
    if (copy === this.#realPath) return this.#options.onRewritten?.();
    throw new Failure('storage', `${this.#name} was replaced by another file during the run`, {
      hint: `the results are in ${copy}, later ones on standard output`,
    });
  }
}

/**
 * Opens a results file, reads its results, and holds its lock until `close`.
 * @throws Failure `usage` if the file has other content, `storage` if another natter is writing it or it cannot be
 * read or written
 */
export function openResultFile(name: string, options: ResultFileOptions): ResultFile {
  return opening(name, () => {
    const realPath = resultsPath(name);
    const lock = holdLock(`${realPath}.lock`, options);
    if (!lock.isHeld) {
      const file = realPath === path.resolve(name) ? name : realPath;
      throw new Failure('storage', `another natter${holderText(lock)} is writing ${name}`, {
        hint: `wait for it, or use a different file; if no natter is running, delete ${file}.lock`,
      });
    }
    try {
      return new ResultFile(name, realPath, lock, options);
    } catch (error) {
      lock.release();
      throw error;
    }
  });
}
