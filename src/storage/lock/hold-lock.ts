import { hrtime } from 'node:process';

import { showLife, type EndOfLife } from './life-sign.ts';
import { createLock, findLock, releaseLock, renewLock, type FoundLock } from './lock-file.ts';
import { isInContainer, ownerHere, type LockOwner } from './lock-owner.ts';
import type { ProcessFacts } from './process-facts.ts';
import { breakDeadLock, renewalInterval, stateOf, type LockState } from './stale-lock.ts';

/** The parts of a clock that a held lock needs. */
interface RenewalClock {
  date(): Date;
  /** Milliseconds. */
  monotonic(): number;
  /** Calls `action` every so many milliseconds until the function it returns is called. Keeps no process alive. */
  repeat(milliseconds: number, action: () => void): () => void;
}

/** A lock for as long as something is open, minutes or days; it is renewed meanwhile. */
export interface HeldLock {
  readonly isHeld: true;
  /**
   * False once another process has the lock, because this one was suspended for longer than locks last. Checks the
   * file only when the last check is old.
   */
  isKept(): boolean;
  /** Never throws: a lock that cannot be removed is found dead later. */
  release(): void;
}

/** Another process has the lock. */
export interface RefusedLock {
  readonly isHeld: false;
  /** Undefined when the lock's file does not name it. */
  readonly holder: LockOwner | undefined;
  /** When it was taken, as far as that is known. */
  readonly since: Date;
  readonly found: FoundLock | undefined;
  readonly state: LockState;
}

export interface HeldLockOptions {
  readonly process: ProcessFacts;
  readonly clock: RenewalClock;
}

/** Unique; loading node:crypto would take longer than taking the lock. */
function takingToken(process: ProcessFacts, date: Date): string {
  const parts = [process.id, date.getTime(), hrtime.bigint()];
  return parts.map((part) => part.toString(36)).join('-');
}

/** A lock that was taken, with the owner's token, or that another process has. */
export type TakenLock = RefusedLock | { readonly isHeld: true; readonly owner: LockOwner };

function refusedLock(found: FoundLock | undefined, state: LockState, now: Date): RefusedLock {
  const holder = found?.owner;
  const since = new Date(holder?.since ?? found?.renewedAt ?? now);
  return {
    isHeld: false,
    holder,
    since: Number.isNaN(since.getTime()) ? now : since,
    found,
    state,
  };
}

/**
 * Takes the lock at once, or returns its owner. Breaks a dead lock: that of a dead process of this machine, and one
 * of another machine or container that was not renewed for a minute.
 * @throws the system's error when the lock's folder cannot be written
 */
export function takeLock(
  path: string,
  { process, clock }: { readonly process: ProcessFacts; readonly clock: { date(): Date } },
): TakenLock {
  const now = clock.date();
  const owner = ownerHere(process, now, takingToken(process, now));
  let refused = refusedLock(undefined, { type: 'alive' }, now);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (createLock(path, owner)) return { isHeld: true, owner };
    const found = findLock(path);
    if (found === undefined) continue;
    const state = stateOf(path, found, process, owner.token);
    refused = refusedLock(found, state, now);
    if (state.type !== 'dead') return refused;
    breakDeadLock(path, found, owner.token);
  }
  return refused;
}

function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // Nothing depends on it: a lock is renewed again soon, and one that stays is found dead later.
  }
}

/** See {@link showLife}; ends at once where the lock is released before it began. */
function signOfLife(path: string, owner: LockOwner, process: ProcessFacts): () => void {
  if (!isInContainer(process)) return () => undefined;
  let isOver = false;
  let end: EndOfLife | undefined;
  void showLife(path, owner, process).then((given) => {
    end = given;
    if (isOver) end();
  });
  return () => {
    isOver = true;
    end?.();
  };
}

function keepLock(path: string, owner: LockOwner, { clock, process }: HeldLockOptions): HeldLock {
  const endLife = signOfLife(path, owner, process);
  let isLost = false;
  // Of both clocks: the monotonic one may stop while the machine sleeps, the other may be set.
  let seen = { date: clock.date().getTime(), monotonic: clock.monotonic() };
  const renew = () => {
    seen = { date: clock.date().getTime(), monotonic: clock.monotonic() };
    const renewal = renewLock(path, owner.token);
    const isMissing = renewal === 'missing' && !createLock(path, owner);
    if (renewal === 'taken' || isMissing) isLost = true;
    if (!isLost) return;
    stop();
    endLife();
  };
  const stop = clock.repeat(renewalInterval, () => quietly(renew));
  const isOld = (now: number, last: number) => Math.abs(now - last) > 2 * renewalInterval;
  return {
    isHeld: true,
    isKept() {
      const { date, monotonic } = seen;
      if (isOld(clock.date().getTime(), date) || isOld(clock.monotonic(), monotonic)) {
        quietly(renew);
      }
      return !isLost;
    },
    release() {
      stop();
      quietly(endLife);
      quietly(() => releaseLock(path, owner.token));
    },
  };
}

/** Takes the lock as {@link takeLock} does, and keeps it until it is released. @throws the system's error */
export function holdLock(path: string, options: HeldLockOptions): HeldLock | RefusedLock {
  const taken = takeLock(path, options);
  return taken.isHeld ? keepLock(path, taken.owner, options) : taken;
}
