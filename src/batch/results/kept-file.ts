import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import { makePrivateFolder } from '../../storage/private-folder.ts';
import { removeFile } from '../../storage/remove-file.ts';
import { errorCode, failureReason } from '../../storage/storage-failure.ts';
import { synchronizeFolder } from '../../storage/synchronize-folder.ts';

/**
 * An open file that bytes are appended to, and its name, which other programs may delete or give to another file
 * meanwhile.
 */
export interface KeptFile {
  /** Becomes another one when the file is written anew. */
  descriptor(): number;
  /** Bytes. */
  size(): number;
  /** Appends in one call. @throws the system's error; the file is as it was then */
  append(bytes: Buffer): void;
  /**
   * Writes the file anew where it was deleted, its folder included.
   * @throws Failure `storage` where that fails, or the name leads to other content now, which stays as it is: what
   * was appended is beside it then, or in {@link KeptFile.unkept}
   */
  check(): void;
  /** All bytes, where no name leads to them any more; else nothing. */
  unkept(): Iterable<Buffer>;
  close(): void;
}

export interface KeptFileOptions {
  /** What messages call the file. */
  readonly name: string;
  /** Its path, without symbolic links. */
  readonly place: string;
  readonly descriptor: number;
  /** Bytes. */
  readonly size: number;
  /** The file was deleted, and is there again. */
  readonly onRewritten: () => void;
}

const blockSize = 1 << 20;
/** Bytes at the end of two files of one size that tell them apart. */
const comparedSize = 4096;
const missing: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR']);

/** What the name leads to; undefined for nothing. @throws the system's error */
function find(place: string): fs.Stats | undefined {
  try {
    return fs.statSync(place);
  } catch (error) {
    if (missing.has(errorCode(error))) return undefined;
    throw error;
  }
}

function* blocksOf(descriptor: number, size: number): Generator<Buffer, void> {
  const buffer = Buffer.allocUnsafe(Math.min(size, blockSize));
  for (let offset = 0; offset < size;) {
    const length = fs.readSync(
      descriptor,
      buffer,
      0,
      Math.min(buffer.length, size - offset),
      offset,
    );
    if (length === 0) return;
    yield buffer.subarray(0, length);
    offset += length;
  }
}

function lastBytes(descriptor: number, size: number): Buffer {
  const start = Math.max(0, size - comparedSize);
  const bytes = Buffer.alloc(size - start);
  fs.readSync(descriptor, bytes, 0, bytes.length, start);
  return bytes;
}

/** Some file systems give a file other numbers from time to time; then it is known by its content. */
function hasSameContent(place: string, descriptor: number, size: number): boolean {
  const other = fs.openSync(place, 'r');
  try {
    if (fs.fstatSync(other).size !== size) return false;
    return lastBytes(other, size).equals(lastBytes(descriptor, size));
  } finally {
    fs.closeSync(other);
  }
}

/** Makes a new file of the content and permissions of an open one. @returns its descriptor @throws the system's error */
function copyTo(place: string, source: number, size: number): number {
  const { mode } = fs.fstatSync(source);
  const target = fs.openSync(place, 'wx+', mode);
  try {
    if (fs.fstatSync(target).mode !== mode) fs.fchmodSync(target, mode);
    for (const block of blocksOf(source, size)) {
      for (let written = 0; written < block.length;) {
        written += fs.writeSync(target, block, written);
      }
    }
    fs.fdatasyncSync(target);
    synchronizeFolder(path.dirname(place));
    return target;
  } catch (error) {
    fs.closeSync(target);
    removeFile(place);
    throw error;
  }
}

const mostNames = 1000;

/** Copies a file beside its name, which leads to another file now. @returns the name of the copy */
function copyBeside(place: string, source: number, size: number): string {
  for (let number = 1; ; number += 1) {
    const beside = `${place}.kept${number === 1 ? '' : `-${number}`}`;
    try {
      fs.closeSync(copyTo(beside, source, size));
      return beside;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST' || number === mostNames) throw error;
    }
  }
}

/** A file as it is at the moment. */
interface FileState {
  descriptor: number;
  size: number;
  /** Of files that were deleted; somebody may still wait for the disk. */
  readonly former: number[];
  isUnkept: boolean;
}

/** Runs what brings the bytes under a name again. @throws Failure `storage` */
function rescue<Result>(name: string, state: FileState, what: string, copy: () => Result): Result {
  try {
    return copy();
  } catch (error) {
    state.isUnkept = true;
    const message = `${name} was ${what} during the run: ${failureReason(error)}`;
    throw new Failure('storage', message, {
      hint: 'the results are on standard output',
      cause: error,
    });
  }
}

function writeAnew({ name, place, onRewritten }: KeptFileOptions, state: FileState): void {
  const next = rescue(name, state, 'deleted', () => {
    makePrivateFolder(path.dirname(place));
    return copyTo(place, state.descriptor, state.size);
  });
  state.former.push(state.descriptor);
  state.descriptor = next;
  onRewritten();
}

function refuseReplaced({ name, place }: KeptFileOptions, state: FileState): never {
  const { descriptor, size } = state;
  const beside = rescue(name, state, 'replaced', () => copyBeside(place, descriptor, size));
  throw new Failure('storage', `${name} was replaced by another file during the run`, {
    hint: `the results are in ${beside}, later ones on standard output`,
  });
}

function check(options: KeptFileOptions, state: FileState): void {
  const { name, place } = options;
  const found = find(place);
  if (found === undefined) return writeAnew(options, state);
  const { descriptor, size } = state;
  const own = fs.fstatSync(descriptor);
  if (found.ino !== own.ino && !hasSameContent(place, descriptor, size)) {
    refuseReplaced(options, state);
  }
  // A larger file is refused by the next append, once the lock was looked at.
  if (own.size < size) refuseChanged(name, own.size, size);
}

/** @throws Failure `storage` when the file has another size than natter gave it */
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

export function createKeptFile(options: KeptFileOptions): KeptFile {
  const { descriptor, size } = options;
  const state: FileState = { descriptor, size, former: [], isUnkept: false };
  return {
    descriptor: () => state.descriptor,
    size: () => state.size,
    append: (bytes) => append(options.name, state, bytes),
    check: () => check(options, state),
    unkept: () => (state.isUnkept ? blocksOf(state.descriptor, state.size) : []),
    close() {
      for (const one of [...state.former.splice(0), state.descriptor]) fs.closeSync(one);
    },
  };
}
