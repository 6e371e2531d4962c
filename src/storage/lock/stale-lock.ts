import fs from 'node:fs';
import os from 'node:os';

import { removeFile } from '../remove-file.ts';
import { breakLock, fileSystemTime, findLock, removalOf, type FoundLock } from './lock-file.ts';
import { isSameHost, livenessOf } from './lock-owner.ts';
import { removeLockSocket } from './lock-socket.ts';
import type { ProcessFacts } from './process-facts.ts';

/** Milliseconds from one renewal of a lock to the next. */
export const renewalInterval = 10_000;
/** Milliseconds without a renewal after which a lock is dead, if its process cannot be seen from here. */
export const staleAfter = 60_000;
/** Milliseconds; a lock is written right after it is created, so an incomplete one belongs to a process that died. */
const incompleteStaleAfter = 2000;
/** Milliseconds; older versions did not renew their locks. */
const legacyStaleAfter = 24 * 3_600_000;
/** Milliseconds; the clocks of two machines may differ that much on some network file systems. */
const clockTolerance = 5000;

export type LockState =
  | { readonly type: 'dead' }
  /** Its process is running, or the file is not a lock of natter. */
  | { readonly type: 'alive' }
  /** Its process cannot be seen from here; unless renewed, the lock is dead in `remaining` milliseconds. */
  | { readonly type: 'unknown'; readonly remaining: number };

function staleAfterOf({ owner }: FoundLock, process: ProcessFacts): number {
  if (owner === undefined) return incompleteStaleAfter;
  if (owner.since !== undefined) return staleAfter;
  // After a restart of the machine, a different process may have the id.
  const sinceBoot = os.uptime() * 1000 + clockTolerance;
  return isSameHost(owner, process) ? Math.min(legacyStaleAfter, sinceBoot) : legacyStaleAfter;
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
  const liveness = owner === undefined ? 'unknown' : livenessOf(owner, process);
  if (liveness !== 'unknown') return { type: liveness };
  const remaining = staleAfterOf(found, process) - ageOf(path, found, token);
  return remaining > 0 ? { type: 'unknown', remaining } : { type: 'dead' };
}

/** Removes a dead lock, unless another process is removing it. @throws the system's error */
export function breakDeadLock(path: string, found: FoundLock, token: string): void {
  removeLockSocket(path, found.token);
  if (breakLock(path, found.token)) return;
  // The process that was removing it may have been killed.
  const removal = findLock(removalOf(path, found.token));
  if (removal === undefined) return;
  if (fileSystemTime(path, token) - removal.renewedAt < staleAfter) return;
  removeFile(removalOf(path, found.token));
}
