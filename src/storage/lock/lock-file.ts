import fs from 'node:fs';

import { isJsonObject, parseJson } from '../../json.ts';
import { removeFile, retryWhile } from '../files.ts';
import { errorCode } from '../storage-failure.ts';
import { type ProcessFacts, type ProcessSpace, thisMachine } from './process-facts.ts';

const { O_RDONLY, O_RDWR } = fs.constants;
/** Without it, a named pipe at the path of a lock would block natter; Windows does not have it. */
const O_NONBLOCK = fs.constants.O_NONBLOCK ?? 0;

/** Readable for other accounts, which must see that the lock's owner is running. */
const lockMode = 0o644;

/** Bytes; a longer file is not a lock. */
const maxSize = 4096;

/** Milliseconds without a renewal after which a lock is dead, if its process cannot be seen from here. */
export const staleAfter = 60_000;
/** Milliseconds; a lock is written right after it is created, so an incomplete one belongs to a process that died. */
const incompleteStaleAfter = 2000;
/** Milliseconds; the clocks of two machines may differ that much on some network file systems. */
const clockTolerance = 5000;

export interface LockOwner {
  readonly host: string;
  readonly processId: number;
  /** Where the process id is valid; undefined on systems that do not report it. */
  readonly space?: ProcessSpace | undefined;
  /** Start time of the process, as in {@link ProcessState}. */
  readonly start?: string | undefined;
  /** When the lock was taken. */
  readonly since: string;
  /** Unique for each time a lock is taken. */
  readonly token: string;
}

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

export type LockState =
  | { readonly type: 'dead' }
  /** Its process is running, or the file is not a lock of natter. */
  | { readonly type: 'alive' }
  /** Its process cannot be seen from here; unless renewed, the lock is dead in `remaining` milliseconds. */
  | { readonly type: 'unknown'; readonly remaining: number };

/** Opens a file, as `fs.openSync`; tests pass one that fails. */
export type OpenFile = (path: string, flags: string | number, mode?: number) => number;

export function createOwner(process: ProcessFacts, since: Date, token: string): LockOwner {
  const { machine = thisMachine } = process;
  const space = machine.space();
  const owner = {
    host: machine.host(),
    processId: process.id,
    since: since.toISOString(),
    token,
  };
  return space === undefined
    ? owner
    : { ...owner, space, start: machine.process(process.id).start };
}

export function formatOwner(owner: LockOwner): string {
  return `${JSON.stringify(owner)}\n`;
}

/** Whether a text is the beginning of a lock file, whose owner has not finished writing it. */
function isPartialOwner(text: string): boolean {
  const start = '{"host":';
  return start.startsWith(text.slice(0, start.length));
}

function parseSpace(value: unknown): ProcessSpace | undefined {
  if (!isJsonObject(value)) return undefined;
  const { boot, namespace } = value;
  return typeof boot === 'string' && typeof namespace === 'string'
    ? { boot, namespace }
    : undefined;
}

/** Undefined for a text that is not a complete lock file. */
function parseOwner(text: string): LockOwner | undefined {
  const object = parseJson(text);
  if (!isJsonObject(object)) return undefined;
  const { host, processId, start, since, token } = object;
  if (typeof host !== 'string' || typeof since !== 'string' || typeof token !== 'string') {
    return undefined;
  }
  if (!Number.isSafeInteger(processId) || !/^[\w-]{1,100}$/.test(token)) return undefined;
  return {
    host,
    processId: processId as number,
    space: parseSpace(object['space']),
    start: typeof start === 'string' ? start : undefined,
    since,
    token,
  };
}

/** `unknown` for a process that cannot be seen from here; then the age of its lock decides. */
export function livenessOf(owner: LockOwner, process: ProcessFacts): LockState['type'] {
  const { machine = thisMachine } = process;
  const here = machine.space();
  // Else its process id means nothing here: a different host, or a container with the same name.
  const isHere =
    owner.host === machine.host() &&
    owner.space?.boot === here?.boot &&
    owner.space?.namespace === here?.namespace;
  if (!isHere) return 'unknown';
  if (!process.isRunning(owner.processId)) return 'dead';
  const { isDead, start } = machine.process(owner.processId);
  if (isDead) return 'dead';
  if (start === undefined || owner.start === undefined) return 'unknown';
  return start === owner.start ? 'alive' : 'dead';
}

/** Windows returns these while a different process is removing the file. */
const removalCodes: ReadonlySet<string | undefined> = new Set(['EPERM', 'EBUSY']);

/** Opens a file, passes it to `use`, and closes it; undefined if the system returns the code `expected`. */
function withFile<Result>(
  expected: 'ENOENT' | 'EEXIST',
  open: () => number,
  use: (descriptor: number) => Result,
): Result | undefined {
  let descriptor: number;
  try {
    descriptor = retryWhile(removalCodes, open);
  } catch (error) {
    if (errorCode(error) === expected) return undefined;
    throw error;
  }
  try {
    return use(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Passes a new file to `fill`; undefined when the file exists already. @throws the system's error */
function createFile<Result>(
  path: string,
  fill: (descriptor: number) => Result,
  open: OpenFile = fs.openSync,
): Result | undefined {
  return withFile(
    'EEXIST',
    () => open(path, 'wx', lockMode),
    (descriptor) => {
      try {
        return fill(descriptor);
      } catch (error) {
        // A full disk creates empty files: an empty lock would block everyone.
        removeFile(path);
        throw error;
      }
    },
  );
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

/** Undefined when the lock is free. @throws the system's error */
export function findLock(path: string, open: OpenFile = fs.openSync): FoundLock | undefined {
  try {
    return withFile('ENOENT', () => open(path, O_RDONLY | O_NONBLOCK), readFound);
  } catch (error) {
    // The lock of a different account with a strict umask.
    if (errorCode(error) !== 'EACCES') throw error;
    const stats = fs.statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    return { token: tokenOf(stats), owner: undefined, isForeign: true, renewedAt: stats.mtimeMs };
  }
}

/** Takes the lock if it is free; false when another process has it. @throws the system's error */
export function createLock(path: string, owner: LockOwner, open?: OpenFile): boolean {
  const write = (descriptor: number) => {
    fs.writeFileSync(descriptor, formatOwner(owner));
    return true;
  };
  return createFile(path, write, open) === true;
}

/**
 * Sets the lock's time to now by writing to it: a network file system then uses its server's clock, which is the same
 * for all hosts.
 * @throws the system's error
 */
export function renewLock(path: string, token: string): 'renewed' | 'missing' | 'taken' {
  const open = () => fs.openSync(path, O_RDWR | O_NONBLOCK);
  const renewal = withFile('ENOENT', open, (descriptor) => {
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

/** Runs an action that must not change the outcome of the program. */
export function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // A lock is renewed again soon, and one that cannot be removed is found dead later.
  }
}

/** Removes the lock if it still has this token. Never throws: a lock that cannot be removed is found dead later. */
export function releaseLock(path: string, token: string): void {
  quietly(() => removeLock(path, token));
}

/** The current time by the clock of the file system that has the lock; milliseconds. @throws the system's error */
function fileSystemTime(path: string, token: string): number {
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

/** Milliseconds since the lock was taken or renewed. */
function ageOf(path: string, { renewedAt }: FoundLock, token: string): number {
  const now = fileSystemTime(path, token);
  const age = now - renewedAt;
  if (age > -clockTolerance) return age;
  // The clock was set back; with the current time, the lock ages again.
  try {
    fs.utimesSync(path, now / 1000, now / 1000);
  } catch {
    // The lock of a different account; its renewals are visible all the same.
  }
  return 0;
}

/** @throws the system's error if the lock's folder cannot be written */
export function stateOf(
  path: string,
  found: FoundLock,
  process: ProcessFacts,
  token: string,
): LockState {
  const { owner, isForeign } = found;
  if (isForeign) return { type: 'alive' };
  const type = owner === undefined ? 'unknown' : livenessOf(owner, process);
  if (type !== 'unknown') return { type };
  const limit = owner === undefined ? incompleteStaleAfter : staleAfter;
  const remaining = limit - ageOf(path, found, token);
  return remaining > 0 ? { type, remaining } : { type: 'dead' };
}

/** Removes a dead lock, unless another process is removing it. @throws the system's error */
export function breakDeadLock(path: string, found: FoundLock, token: string): void {
  // Two waiters may find the same dead lock. Only one of them may remove it: the slower one would remove the lock that
  // the faster one has taken meanwhile. So the removal of a token is a lock, too.
  const removal = `${path}.${found.token}`;
  if (createFile(removal, () => true) === true) {
    try {
      removeLock(path, found.token);
    } finally {
      removeFile(removal);
    }
    return;
  }
  // The process that was removing it may have been killed.
  const other = findLock(removal);
  if (other === undefined) return;
  if (fileSystemTime(path, token) - other.renewedAt >= staleAfter) removeFile(removal);
}
