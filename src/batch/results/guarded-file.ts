import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import { makePrivateFolder, removeFile, synchronizeFolder } from '../../storage/files.ts';
import { errorCode, failureReason } from '../../storage/storage-failure.ts';
import { fileBlocks, writeBlocks } from './write-results.ts';

interface GuardedFileOptions {
  /** The file's name in messages. */
  readonly name: string;
  /** Its path without symbolic links. */
  readonly realPath: string;
  readonly descriptor: number;
  /** In bytes. */
  readonly size: number;
  /** The file was deleted and has been written again. */
  readonly onRewritten: () => void;
}

/** Bytes at the end that are compared when two files have the same size. */
const comparedSize = 4096;
const missing: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR']);

/** Undefined for a missing file. @throws the system's error */
function find(file: string): fs.Stats | undefined {
  try {
    return fs.statSync(file);
  } catch (error) {
    if (missing.has(errorCode(error))) return undefined;
    throw error;
  }
}

function lastBytes(descriptor: number, size: number): Buffer {
  const start = Math.max(0, size - comparedSize);
  const bytes = Buffer.alloc(size - start);
  fs.readSync(descriptor, bytes, 0, bytes.length, start);
  return bytes;
}

/** Some file systems change inode numbers from time to time; the content then identifies the file. */
function hasSameContent(file: string, descriptor: number, size: number): boolean {
  const other = fs.openSync(file, 'r');
  try {
    if (fs.fstatSync(other).size !== size) return false;
    return lastBytes(other, size).equals(lastBytes(descriptor, size));
  } finally {
    fs.closeSync(other);
  }
}

/** Creates a file with the content and permissions of an open one. @returns its descriptor @throws the system's error */
function copyTo(file: string, source: number, size: number): number {
  const { mode } = fs.fstatSync(source);
  const target = fs.openSync(file, 'wx+', mode);
  try {
    if (fs.fstatSync(target).mode !== mode) fs.fchmodSync(target, mode);
    writeBlocks(target, fileBlocks(source, size));
    fs.fdatasyncSync(target);
    synchronizeFolder(path.dirname(file));
    return target;
  } catch (error) {
    fs.closeSync(target);
    removeFile(file);
    throw error;
  }
}

const maxCopies = 1000;

/** Copies an open file to an unused path beside its own. @returns the path */
function copyBeside(file: string, source: number, size: number): string {
  for (let number = 1; ; number += 1) {
    const copy = `${file}.kept${number === 1 ? '' : `-${number}`}`;
    try {
      fs.closeSync(copyTo(copy, source, size));
      return copy;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || number === maxCopies) throw error;
    }
  }
}

/** An open file for appending whose content survives when other programs delete, replace or truncate the file. */
export class GuardedFile {
  readonly #options: GuardedFileOptions;
  #descriptor: number;
  #size: number;
  /** Descriptors of deleted files, which a pending fdatasync may still use. */
  readonly #former: number[] = [];
  #isUnsaved = false;

  constructor(options: GuardedFileOptions) {
    this.#options = options;
    this.#descriptor = options.descriptor;
    this.#size = options.size;
  }

  /** Changes when the file is written again. */
  descriptor(): number {
    return this.#descriptor;
  }

  /** In bytes. */
  size(): number {
    return this.#size;
  }

  /** Appends all bytes or none. @throws the system's error; Failure `storage` if the size changed */
  append(bytes: Buffer): void {
    this.#refuseChanged(fs.fstatSync(this.#descriptor).size);
    const written = fs.writeSync(this.#descriptor, bytes, 0, bytes.length, this.#size);
    if (written < bytes.length) {
      fs.ftruncateSync(this.#descriptor, this.#size);
      throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
    }
    this.#size += bytes.length;
  }

  /**
   * Writes a deleted file again, including its folder.
   * @throws Failure `storage` if that fails, or if the path has different content now. That content is not changed: the
   * appended bytes are in a file beside it, or in {@link GuardedFile.unsaved}.
   */
  check(): void {
    const { realPath } = this.#options;
    const found = find(realPath);
    if (found === undefined) return this.#writeAgain();
    const open = fs.fstatSync(this.#descriptor);
    const isSame = found.ino === open.ino || hasSameContent(realPath, this.#descriptor, this.#size);
    if (!isSame) this.#refuseReplaced();
    // The next append refuses a larger file, after the lock was checked.
    if (open.size < this.#size) this.#refuseChanged(open.size);
  }

  /** All bytes, if no path leads to them any more; else nothing. */
  unsaved(): Iterable<Buffer> {
    return this.#isUnsaved ? fileBlocks(this.#descriptor, this.#size) : [];
  }

  close(): void {
    for (const one of [...this.#former.splice(0), this.#descriptor]) fs.closeSync(one);
  }

  #writeAgain(): void {
    const { realPath, onRewritten } = this.#options;
    const next = this.#rescue('deleted', () => {
      makePrivateFolder(path.dirname(realPath));
      return copyTo(realPath, this.#descriptor, this.#size);
    });
    this.#former.push(this.#descriptor);
    this.#descriptor = next;
    onRewritten();
  }

  #refuseReplaced(): never {
    const { name, realPath } = this.#options;
    const copy = this.#rescue('replaced', () => copyBeside(realPath, this.#descriptor, this.#size));
    throw new Failure('storage', `${name} was replaced by another file during the run`, {
      hint: `the results are in ${copy}, later ones on standard output`,
    });
  }

  /** Runs `copy`, which saves the bytes under a path again. @throws Failure `storage` */
  #rescue<Result>(change: 'deleted' | 'replaced', copy: () => Result): Result {
    try {
      return copy();
    } catch (error) {
      this.#isUnsaved = true;
      const message = `${this.#options.name} was ${change} during the run: ${failureReason(error)}`;
      throw new Failure('storage', message, {
        hint: 'the results are on standard output',
        cause: error,
      });
    }
  }

  /** @throws Failure `storage` if the size is not the one that natter wrote */
  #refuseChanged(found: number): void {
    if (found === this.#size) return;
    const change = found < this.#size ? 'truncated' : 'wrote to';
    throw new Failure('storage', `another program ${change} ${this.#options.name} during the run`, {
      hint: 'run the same command again for what is missing; later results are on standard output',
    });
  }
}
