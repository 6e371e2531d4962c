import { randomUUID } from 'node:crypto';

import { Failure } from '../failure.ts';
import {
  breakLock,
  createLock,
  findLock,
  holderIsGone,
  type ProcessFacts,
  releaseLock,
  unsignedStaleAge,
} from './lock-file.ts';
import { storageFailure } from './storage-failure.ts';

/** The parts of a clock that waiting for a lock needs; milliseconds. */
export interface LockClock {
  date(): Date;
  monotonic(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface LockOptions {
  readonly clock: LockClock;
  readonly process: ProcessFacts;
  /** Ends the wait for the lock. */
  readonly signal?: AbortSignal;
}

/** Milliseconds. A write takes a few of them, so these are far apart on purpose. */
const pause = 15;
const longestWait = 10_000;
const staleAge = 30_000;

/** Removes a lock whose holder is gone. */
function breakStaleLock(path: string, { clock, process }: LockOptions): void {
  const found = findLock(path);
  if (found === undefined) return;
  const limit = found.holder === undefined ? unsignedStaleAge : staleAge;
  const isOld = clock.date().getTime() - found.time.getTime() >= limit;
  if (isOld || holderIsGone(found, process)) breakLock(path, found.token);
}

async function takeLock(path: string, token: string, options: LockOptions): Promise<void> {
  const { clock, process, signal } = options;
  const start = clock.monotonic();
  while (!createLock(path, process, token)) {
    breakStaleLock(path, options);
    if (clock.monotonic() - start > longestWait) {
      throw new Failure('storage', `another natter has held ${path} for too long`, {
        hint: 'try again; if no natter is running, delete that file',
      });
    }
    await clock.sleep(pause, signal);
  }
}

/**
 * Runs `action` while no other process that uses the same lock file does. A lock left by a dead process is
 * broken: at once when it died on this machine, after half a minute when that cannot be told.
 * @throws Failure `storage` when the lock cannot be had within ten seconds; the reason of a signal that aborts
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
    options.signal?.throwIfAborted();
    throw error instanceof Failure ? error : storageFailure('write', path, error);
  }
  try {
    return action();
  } finally {
    releaseLock(path, token);
  }
}
