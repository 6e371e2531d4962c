import fs from 'node:fs';

import { removeFile } from '../remove-file.ts';
import { retryWhile } from '../replace-file.ts';
import { errorCode } from '../storage-failure.ts';
import { formatOwner, isPartialOwner, parseOwner, type LockOwner } from './lock-owner.ts';

const { O_NONBLOCK, O_RDONLY, O_RDWR } = fs.constants;

/** Readable for other accounts, which must see that the lock's owner is running. */
const lockMode = 0o644;

/** Bytes; a longer file is not a lock. */
const maxSize = 4096;

export interface FoundLock {
  /** Unique for each time the lock is taken. */
  readonly token: string;
  /** Undefined for a lock whose owner has not finished writing it, or died before. */
  readonly owner: LockOwner | undefined;
  /** A file that natter must not remove: its content is not a lock, or this account cannot read it. */
  readonly isForeign: boolean;
  /** When it was taken or renewed, by the clock of the file system; milliseconds. */
  readonly renewedAt: number;
}

/** Opens a file, as `fs.openSync`; tests pass one that fails. */
export type OpenFile = (path: string, flags: string | number, mode?: number) => number;

/** Windows returns these while a different process is removing the file. */
const removalCodes: ReadonlySet<string | undefined> = new Set(['EPERM', 'EBUSY']);

/** Runs an action that must not change the outcome of the program. */
export function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // A lock is renewed again soon, and one that cannot be removed is found dead later.
  }
}

function readBytes(descriptor: number): Buffer {
  const bytes = Buffer.alloc(maxSize);
  return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, maxSize, 0));
}

const tokenOf = ({ ino, mtimeMs }: fs.Stats) => `${ino}-${Math.floor(mtimeMs)}`;

function readFound(descriptor: number): FoundLock {
  // After opening, because a network file system asks its server only then.
  const stats = fs.fstatSync(descriptor);
  const text = readBytes(descriptor).toString();
  const owner = parseOwner(text);
  const token = owner?.token ?? tokenOf(stats);
  const isForeign = owner === undefined && !isPartialOwner(text);
  return { token, owner, isForeign, renewedAt: stats.mtimeMs };
}

/** A lock that a different account does not let this one read; older versions created such locks. */
function unreadableLock(path: string): FoundLock | undefined {
  const stats = fs.statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return { token: tokenOf(stats), owner: undefined, isForeign: true, renewedAt: stats.mtimeMs };
}

/** Undefined if there is no file. @throws the system's error */
function withLockFile<Result>(
  path: string,
  flags: number,
  use: (descriptor: number) => Result,
  open: OpenFile = fs.openSync,
): Result | undefined {
  let descriptor: number;
  try {
    // Without O_NONBLOCK, a named pipe at the path would block natter.
    descriptor = retryWhile(removalCodes, () => open(path, flags | (O_NONBLOCK ?? 0)));
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
export function findLock(path: string, open?: OpenFile): FoundLock | undefined {
  try {
    return withLockFile(path, O_RDONLY, readFound, open);
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error;
    return unreadableLock(path);
  }
}

/** Passes a new file to `fill`; undefined when the file exists already. @throws the system's error */
function createFile<Result>(
  path: string,
  fill: (descriptor: number) => Result,
  open: OpenFile = fs.openSync,
): Result | undefined {
  let descriptor: number;
  try {
    descriptor = retryWhile(removalCodes, () => open(path, 'wx', lockMode));
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined;
    throw error;
  }
  try {
    return fill(descriptor);
  } catch (error) {
    // A full disk creates empty files: an empty lock would block everyone.
    removeFile(path);
    throw error;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Takes the lock if it is free; false when another process has it. @throws the system's error */
export function createLock(path: string, owner: LockOwner, open?: OpenFile): boolean {
  const fill = (descriptor: number) => {
    // Two containers see the same device only if they share the folder.
    const device = owner.space && fs.fstatSync(descriptor).dev;
    fs.writeFileSync(descriptor, formatOwner({ ...owner, device }));
    return true;
  };
  return createFile(path, fill, open) === true;
}

export type Renewal = 'renewed' | 'missing' | 'taken';

/**
 * Sets the lock's time to now by writing to it: a network file system then uses its server's clock, which is the same
 * for all hosts.
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

/** Removes the lock if it still has this token. @throws the system's error */
function removeLock(path: string, token: string): void {
  if (findLock(path)?.token !== token) return;
  retryWhile(removalCodes, () => removeFile(path));
}

/** Removes the lock if it still has this token. Never throws: a lock that cannot be removed is found dead later. */
export function releaseLock(path: string, token: string): void {
  quietly(() => removeLock(path, token));
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

/** The file that shows that a process is removing a lock. */
export const removalOf = (path: string, token: string) => `${path}.${token}`;

/** False while another process is removing the lock. @throws the system's error */
export function breakLock(path: string, token: string): boolean {
  // Two waiters may find the same dead lock. Only one of them may remove it: the slower one would remove the lock that
  // the faster one has taken meanwhile. So the removal of a token is a lock, too.
  const removal = removalOf(path, token);
  if (createFile(removal, () => true) !== true) return false;
  try {
    removeLock(path, token);
    return true;
  } finally {
    removeFile(removal);
  }
}
