import fs from 'node:fs';

import { formatOwner, isUnsigned, parseOwner, type LockOwner } from './lock-owner.ts';
import { removeFile } from '../remove-file.ts';
import { errorCode } from '../storage-failure.ts';

const { O_NONBLOCK, O_RDONLY, O_RDWR } = fs.constants;

/** Bytes; a longer file is not a lock. */
const longestLock = 4096;

export interface FoundLock {
  /** Unique for each time the lock is taken. */
  readonly token: string;
  /** Undefined for a lock that its owner has not signed yet, or never will. */
  readonly owner: LockOwner | undefined;
  /** A file with the name of a lock but other contents; it is never changed. */
  readonly isForeign: boolean;
  /** When it was taken or renewed, by the clock of the file system; milliseconds. */
  readonly renewedAt: number;
}

function readBytes(descriptor: number): Buffer {
  const bytes = Buffer.alloc(longestLock);
  return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, longestLock, 0));
}

function readFound(descriptor: number): FoundLock {
  // After opening, as a network file system then asks its server.
  const { ino, mtimeMs } = fs.fstatSync(descriptor);
  const text = readBytes(descriptor).toString();
  const owner = parseOwner(text);
  const token = owner?.token ?? `${ino}-${Math.floor(mtimeMs)}`;
  const isForeign = owner === undefined && !isUnsigned(text);
  return { token, owner, isForeign, renewedAt: mtimeMs };
}

/** Undefined where there is no file. @throws the system's error */
function withLockFile<Result>(
  path: string,
  flags: number,
  use: (descriptor: number) => Result,
): Result | undefined {
  let descriptor: number;
  try {
    // A named pipe in place of a lock must not stop natter.
    descriptor = fs.openSync(path, flags | (O_NONBLOCK ?? 0));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return use(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Undefined when the lock is free. @throws the system's error */
export function findLock(path: string): FoundLock | undefined {
  return withLockFile(path, O_RDONLY, readFound);
}

/** Gives a new file to `fill`; undefined when the file is there already. @throws the system's error */
function createFile<Result>(
  path: string,
  fill: (descriptor: number) => Result,
): Result | undefined {
  let descriptor: number;
  try {
    descriptor = fs.openSync(path, 'wx', 0o600);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined;
    throw error;
  }
  try {
    return fill(descriptor);
  } catch (error) {
    // A full disk creates files without contents: an empty lock left here would block everyone.
    removeFile(path);
    throw error;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Takes the lock if it is free; false when another process has it. @throws the system's error */
export function createLock(path: string, owner: LockOwner): boolean {
  const created = createFile(path, (descriptor) => {
    // Two containers see the same device only where they share the folder.
    const device = owner.space && fs.fstatSync(descriptor).dev;
    fs.writeFileSync(descriptor, formatOwner({ ...owner, device }));
    return true;
  });
  return created === true;
}

export type Renewal = 'renewed' | 'missing' | 'taken';

/**
 * Sets the lock's time to now, by writing: a network file system then uses its server's clock, which is the same
 * for all.
 * @throws the system's error
 */
export function renewLock(path: string, token: string): Renewal {
  const renewal = withLockFile(path, O_RDWR, (descriptor) => {
    const bytes = readBytes(descriptor);
    if (parseOwner(bytes.toString())?.token !== token) return 'taken';
    fs.writeSync(descriptor, bytes, 0, bytes.length, 0);
    return 'renewed';
  });
  return renewal ?? 'missing';
}

/** Removes the lock if it still has this token. */
export function releaseLock(path: string, token: string): void {
  if (findLock(path)?.token === token) removeFile(path);
}

/** The current time by the clock of the file system that has the lock; milliseconds. @throws the system's error */
export function fileSystemTime(path: string, token: string): number {
  const probe = `${path}.${token}.time`;
  removeFile(probe);
  try {
    return createFile(probe, (descriptor) => {
      fs.writeSync(descriptor, '.');
      return fs.fstatSync(descriptor).mtimeMs;
    }) as number;
  } finally {
    removeFile(probe);
  }
}

/** The file that shows that a lock is being removed. */
export const removalOf = (path: string, token: string) => `${path}.${token}`;

/**
 * Removes the lock of a dead process. False while another process is removing it.
 * @throws the system's error
 */
export function breakLock(path: string, token: string): boolean {
  // Two waiters may find the same dead lock. Only one of them may remove it, or the slower one would
  // remove the lock that the faster one took meanwhile; so the removal of a token is a lock itself.
  const removal = removalOf(path, token);
  if (createFile(removal, () => true) !== true) return false;
  try {
    releaseLock(path, token);
    return true;
  } finally {
    removeFile(removal);
  }
}
