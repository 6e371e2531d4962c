import fs from 'node:fs';
import os from 'node:os';

import { removeFile } from './remove-file.ts';
import { errorCode } from './storage-failure.ts';

/** The process that writes, and what it can tell about others. */
export interface ProcessFacts {
  readonly id: number;
  /** Whether a process of that id lives on this machine. */
  isRunning(id: number): boolean;
}

/** Who took a lock: what its file says. */
export interface LockHolder {
  readonly host: string;
  readonly processId: number;
  /** Tells this taking of the lock from every other. */
  readonly token: string;
}

/** Milliseconds; a lock is signed right after it is made, so one that is not by then lost its maker in between. */
export const unsignedStaleAge = 2000;

/** A lock as it was found. */
export interface FoundLock {
  readonly token: string;
  /** Undefined for a lock that its maker did not sign yet, or never will. */
  readonly holder?: LockHolder;
  /** When it was taken, or renewed. */
  readonly time: Date;
}

function parseHolder(text: string): LockHolder | undefined {
  const [, host, processId, token] = /^(\S+) (\d+) ([\w-]+)$/.exec(text) ?? [];
  if (host === undefined || token === undefined) return undefined;
  return { host, processId: Number(processId), token };
}

/** Undefined when the lock is free. @throws the system's error */
export function findLock(path: string): FoundLock | undefined {
  try {
    const holder = parseHolder(fs.readFileSync(path, 'utf8'));
    const { ino, mtime } = fs.statSync(path);
    return holder === undefined
      ? { token: `${ino}-${mtime.getTime()}`, time: mtime }
      : { token: holder.token, holder, time: mtime };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** False when the file is there already. */
function createFile(path: string, content: string): boolean {
  let descriptor: number;
  try {
    descriptor = fs.openSync(path, 'wx', 0o600);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    fs.writeFileSync(descriptor, content);
    return true;
  } catch (error) {
    // A full disk makes files but fills none: an empty one left here would keep everybody out.
    removeFile(path);
    throw error;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Takes the lock if it is free; false when somebody has it. @throws the system's error */
export function createLock(path: string, process: ProcessFacts, token: string): boolean {
  return createFile(path, `${os.hostname()} ${process.id} ${token}`);
}

/** The holder was a process of this machine that is gone. */
export function holderIsGone({ holder }: FoundLock, process: ProcessFacts): boolean {
  return holder?.host === os.hostname() && !process.isRunning(holder.processId);
}

/** Removes the lock, if it still is the one with this token; for its holder. */
export function releaseLock(path: string, token: string): void {
  if (findLock(path)?.token === token) removeFile(path);
}

/** Removes a lock that was left behind; for anybody. */
export function breakLock(path: string, token: string): void {
  // Two waiters may find the same dead lock. Only one of them may remove it, or the slower one would
  // remove the lock that the faster one took meanwhile; so removing a token has a lock of its own.
  const removal = `${path}.${token}`;
  if (!createFile(removal, '')) return;
  try {
    releaseLock(path, token);
  } finally {
    removeFile(removal);
  }
}
