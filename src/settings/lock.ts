import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';

import { Failure } from '../failure.ts';
import { errorCode, storageFailure } from './storage-failure.ts';

/** The process that writes, and what it can tell about others. */
export interface ProcessFacts {
  readonly id: number;
  /** Whether a process of that id lives on this machine. */
  isRunning(id: number): boolean;
}

/** The parts of a clock that waiting for a lock needs; milliseconds. */
export interface LockClock {
  date(): Date;
  monotonic(): number;
  sleep(milliseconds: number): Promise<void>;
}

export interface LockOptions {
  readonly clock: LockClock;
  readonly process: ProcessFacts;
}

/** Milliseconds. A write takes a few of them, so these are far apart on purpose. */
const pause = 15;
const longestWait = 10_000;
const staleAge = 30_000;
const unsignedStaleAge = 2000;

interface Holder {
  readonly host: string;
  readonly processId: number;
  readonly token: string;
}

function parseHolder(text: string): Holder | undefined {
  const [, host, processId, token] = /^(\S+) (\d+) ([\w-]+)$/.exec(text) ?? [];
  if (host === undefined || token === undefined) return undefined;
  return { host, processId: Number(processId), token };
}

/** Tells this taking of the lock from every other; undefined when the lock is free. */
function identify(path: string): { token: string; holder?: Holder; age: Date } | undefined {
  try {
    const holder = parseHolder(fs.readFileSync(path, 'utf8'));
    const { ino, mtime } = fs.statSync(path);
    return holder === undefined
      ? { token: `${ino}-${mtime.getTime()}`, age: mtime }
      : { token: holder.token, holder, age: mtime };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes a lock whose holder is gone. */
function breakStaleLock(path: string, { clock, process }: LockOptions): void {
  const found = identify(path);
  if (found === undefined) return;
  const { holder } = found;
  // A lock is signed right after it is made; one that is not lost its maker in between.
  const limit = holder === undefined ? unsignedStaleAge : staleAge;
  const dead = holder?.host === os.hostname() && !process.isRunning(holder.processId);
  if (!dead && clock.date().getTime() - found.age.getTime() < limit) return;
  // Two waiters may find the same dead lock. Only one of them may remove it, or the slower one would
  // remove the lock that the faster one took meanwhile; so removing a token has a lock of its own.
  const removal = `${path}.${found.token}`;
  if (!createFile(removal, '')) return;
  try {
    if (identify(path)?.token === found.token) fs.rmSync(path, { force: true });
  } finally {
    fs.rmSync(removal, { force: true });
  }
}

/** False when the file is there already. */
function createFile(path: string, content: string): boolean {
  try {
    fs.writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function takeLock(path: string, token: string, options: LockOptions): Promise<void> {
  const { clock, process } = options;
  const start = clock.monotonic();
  while (!createFile(path, `${os.hostname()} ${process.id} ${token}`)) {
    breakStaleLock(path, options);
    if (clock.monotonic() - start > longestWait) {
      throw new Failure('storage', `another natter has held ${path} for too long`, {
        hint: 'try again; if no natter is running, delete that file',
      });
    }
    await clock.sleep(pause);
  }
}

/**
 * Runs `action` while no other process that uses the same lock file does. A lock left by a dead process is
 * broken: at once when it died on this machine, after half a minute when that cannot be told.
 * @throws Failure `storage` when the lock cannot be had within ten seconds
 */
export async function withLock<Result>(
  path: string,
  options: LockOptions,
  action: () => Result,
): Promise<Result> {
  const token = randomUUID();
  try {
    await takeLock(path, token, options);
  } catch (error) {
    throw error instanceof Failure ? error : storageFailure('write', path, error);
  }
  try {
    return action();
  } finally {
    if (identify(path)?.token === token) fs.rmSync(path, { force: true });
  }
}
