import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import { makePrivateFolder, removeFile, synchronizeFolder } from '../../storage/files.ts';
import { errorCode, failureReason } from '../../storage/storage-failure.ts';
import { fileBlocks, writeBlocks } from './write-results.ts';

/** An open file for appending whose content survives when other programs delete, replace or truncate the file. */
export interface GuardedFile {
  /** Changes when the file is written again. */
  descriptor(): number;
  /** In bytes. */
  size(): number;
  /** Appends all bytes or none. @throws the system's error; Failure `storage` if the size changed */
  append(bytes: Buffer): void;
  /**
   * Writes a deleted file again, including its folder.
   * @throws Failure `storage` if that fails, or if the path has different content now. That content is not changed: the
   * appended bytes are in a file beside it, or in {@link GuardedFile.unsaved}.
   */
  check(): void;
  /** All bytes, if no path leads to them any more; else nothing. */
  unsaved(): Iterable<Buffer>;
  close(): void;
}

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

interface FileState {
  descriptor: number;
  size: number;
  /** Descriptors of deleted files, which a pending fdatasync may still use. */
  readonly former: number[];
  isUnsaved: boolean;
}

/** Runs `copy`, which saves the bytes under a path again. @throws Failure `storage` */
function rescue<Result>(
  name: string,
  state: FileState,
  change: 'deleted' | 'replaced',
  copy: () => Result,
): Result {
  try {
    return copy();
  } catch (error) {
    state.isUnsaved = true;
    const message = `${name} was ${change} during the run: ${failureReason(error)}`;
    throw new Failure('storage', message, {
      hint: 'the results are on standard output',
      cause: error,
    });
  }
}

function writeAgain({ name, realPath, onRewritten }: GuardedFileOptions, state: FileState): void {
  const next = rescue(name, state, 'deleted', () => {
    makePrivateFolder(path.dirname(realPath));
    return copyTo(realPath, state.descriptor, state.size);
  });
  state.former.push(state.descriptor);
  state.descriptor = next;
  onRewritten();
}

function refuseReplaced({ name, realPath }: GuardedFileOptions, state: FileState): never {
  const { descriptor, size } = state;
  const copy = rescue(name, state, 'replaced', () => copyBeside(realPath, descriptor, size));
  throw new Failure('storage', `${name} was replaced by another file during the run`, {
    hint: `the results are in ${copy}, later ones on standard output`,
  });
}

function check(options: GuardedFileOptions, state: FileState): void {
  const { name, realPath } = options;
  const found = find(realPath);
  if (found === undefined) return writeAgain(options, state);
  const { descriptor, size } = state;
  const open = fs.fstatSync(descriptor);
  if (found.ino !== open.ino && !hasSameContent(realPath, descriptor, size)) {
    refuseReplaced(options, state);
  }
  // The next append refuses a larger file, after the lock was checked.
  if (open.size < size) refuseChanged(name, open.size, size);
}

/** @throws Failure `storage` if the size is not the one that natter wrote */
function refuseChanged(name: string, found: number, size: number): void {
  if (found === size) return;
  const change = found < size ? 'truncated' : 'wrote to';
  throw new Failure('storage', `another program ${change} ${name} during the run`, {
    hint: 'run the same command again for what is missing; later results are on standard output',
  });
}

function append(name: string, state: FileState, bytes: Buffer): void {
  const { descriptor, size } = state;
  refuseChanged(name, fs.fstatSync(descriptor).size, size);
  const written = fs.writeSync(descriptor, bytes, 0, bytes.length, size);
  if (written < bytes.length) {
    fs.ftruncateSync(descriptor, size);
    throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
  }
  state.size += bytes.length;
}

export function createGuardedFile(options: GuardedFileOptions): GuardedFile {
  const { descriptor, size } = options;
  const state: FileState = { descriptor, size, former: [], isUnsaved: false };
  return {
    descriptor: () => state.descriptor,
    size: () => state.size,
    append: (bytes) => append(options.name, state, bytes),
    check: () => check(options, state),
    unsaved: () => (state.isUnsaved ? fileBlocks(state.descriptor, state.size) : []),
    close() {
      for (const one of [...state.former.splice(0), state.descriptor]) fs.closeSync(one);
    },
  };
}
