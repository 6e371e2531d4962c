import fs from 'node:fs';
import os from 'node:os';
import { hrtime } from 'node:process';

import {
  breakLock,
  createLock,
  findLock,
  type FoundLock,
  holderIsGone,
  type LockHolder,
  type ProcessFacts,
  releaseLock,
  unsignedStaleAge,
} from './lock-file.ts';

/** A lock that is kept for as long as something is open, minutes or days. */
export interface HeldLock {
  readonly isHeld: true;
  /** Tells other machines that the holder lives; call it now and then. Never throws. */
  renew(): void;
  /** Never throws: a lock that cannot be removed is found stale later. */
  release(): void;
}

/** Somebody else has the lock. */
export interface RefusedLock {
  readonly isHeld: false;
  /** Undefined when the lock's file does not say. */
  readonly holder: LockHolder | undefined;
  readonly since: Date;
}

export interface HoldOptions {
  readonly process: ProcessFacts;
  readonly clock: { date(): Date };
}

/** Milliseconds. Another machine's processes cannot be asked for, and a lock is renewed with every turn only. */
const foreignStaleAge = 24 * 3_600_000;
/** Time of the start is known to the second, and clocks are set. */
const startTolerance = 5000;

function isStale(found: FoundLock, { process, clock }: HoldOptions): boolean {
  const age = clock.date().getTime() - found.time.getTime();
  if (found.holder === undefined) return age >= unsignedStaleAge;
  if (found.holder.host !== os.hostname()) return age >= foreignStaleAge;
  // After a restart of the machine another process may have the holder's id.
  return holderIsGone(found, process) || age > os.uptime() * 1000 + startTolerance;
}

function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // Nothing depends on it: see `renew` and `release`.
  }
}

function held(path: string, token: string, { clock }: HoldOptions): HeldLock {
  return {
    isHeld: true,
    renew: () => quietly(() => fs.utimesSync(path, clock.date(), clock.date())),
    release: () => quietly(() => releaseLock(path, token)),
  };
}

/** Differs from every other taking; node:crypto would take longer to load than the lock to be taken. */
function takingToken({ process, clock }: HoldOptions): string {
  const parts = [process.id, clock.date().getTime(), hrtime.bigint()];
  return parts.map((part) => part.toString(36)).join('-');
}

/**
 * Takes the lock at once or tells who has it. A lock of a process that is gone is broken: at once when it died
 * on this machine or before the machine was started, after a day when that cannot be told.
 * @throws the system's error when the lock's folder cannot be written
 */
export function holdLock(path: string, options: HoldOptions): HeldLock | RefusedLock {
  const token = takingToken(options);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    if (createLock(path, options.process, token)) return held(path, token, options);
    const found = findLock(path);
    if (found === undefined) continue;
    if (attempt > 0 || !isStale(found, options)) {
      return { isHeld: false, holder: found.holder, since: found.time };
    }
    breakLock(path, found.token);
  }
  return createLock(path, options.process, token)
    ? held(path, token, options)
    : { isHeld: false, holder: undefined, since: options.clock.date() };
}
