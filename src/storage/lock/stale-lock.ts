import fs from 'node:fs';
import os from 'node:os';

import { removeLifeSign } from './life-sign.ts';
import { breakLock, fileSystemTime, findLock, removalOf, type FoundLock } from './lock-file.ts';
import { fateOf, isOfHost } from './lock-owner.ts';
import type { ProcessFacts } from './process-facts.ts';
import { removeFile } from '../remove-file.ts';

/** Milliseconds from one renewal of a lock to the next. */
export const renewalInterval = 10_000;
/** Milliseconds after which a lock that is not renewed is dead, where its process cannot be seen from here. */
export const longestSilence = 60_000;
/** Milliseconds; a lock is signed right after it is created, so the process that created an unsigned one is dead by then. */
const longestSigning = 2000;
/** Milliseconds; older versions did not renew their locks. */
const longestOldSilence = 24 * 3_600_000;
/** Milliseconds; two machines' clocks count for less on some network file systems. */
const clockTolerance = 5000;

/** What is known about a lock. */
export type LockState =
  | { readonly type: 'dead' }
  /** Its process is running, or it is not a lock of natter. */
  | { readonly type: 'alive' }
  /** Its process cannot be seen from here; dead so many milliseconds from now unless it is renewed. */
  | { readonly type: 'unknown'; readonly remaining: number };

/** How long a lock stays without a renewal. */
function silenceOf({ owner }: FoundLock, process: ProcessFacts): number {
  if (owner === undefined) return longestSigning;
  if (owner.since !== undefined) return longestSilence;
  // Since the start of the machine its process id may be that of another process.
  const sinceBoot = os.uptime() * 1000 + clockTolerance;
  return isOfHost(owner, process) ? Math.min(longestOldSilence, sinceBoot) : longestOldSilence;
}

/** Milliseconds since the lock was taken or renewed. */
function ageOf(path: string, { renewedAt }: FoundLock, token: string): number {
  const now = fileSystemTime(path, token);
  const age = now - renewedAt;
  if (age > -clockTolerance) return age;
  // The clock was set back. With the current time the lock ages again.
  try {
    fs.utimesSync(path, now / 1000, now / 1000);
  } catch {
    // Another user's lock; its renewals are visible all the same.
  }
  return 0;
}

/** @throws the system's error where the lock's folder cannot be written */
export function stateOf(
  path: string,
  found: FoundLock,
  process: ProcessFacts,
  token: string,
): LockState {
  const { owner, isForeign } = found;
  if (isForeign) return { type: 'alive' };
  const fate = owner === undefined ? 'unknown' : fateOf(owner, process);
  if (fate === 'gone') return { type: 'dead' };
  if (fate === 'alive') return { type: 'alive' };
  const remaining = silenceOf(found, process) - ageOf(path, found, token);
  return remaining > 0 ? { type: 'unknown', remaining } : { type: 'dead' };
}

/** Removes a dead lock, unless another process is removing it. @throws the system's error */
export function breakDeadLock(path: string, found: FoundLock, token: string): void {
  removeLifeSign(path, found.token);
  if (breakLock(path, found.token)) return;
  // The process that was removing it may have been killed.
  const removal = findLock(removalOf(path, found.token));
  if (removal === undefined) return;
  if (fileSystemTime(path, token) - removal.renewedAt < longestSilence) return;
  removeFile(removalOf(path, found.token));
}
