import { hrtime } from 'node:process';

import type { ProgramClock } from '../../clock.ts';
import {
  createLock,
  findLock,
  quietly,
  releaseLock,
  renewLock,
  type FoundLock,
} from './lock-file.ts';
import { createOwner, isInContainer, type LockOwner } from './lock-owner.ts';
import { type CloseSocket, openLockSocket } from './lock-socket.ts';
import type { ProcessFacts } from './process-facts.ts';
import { breakDeadLock, renewalInterval, stateOf, type LockState } from './stale-lock.ts';

/** A lock that is renewed until it is released, for minutes or days. */
export interface HeldLock {
  readonly isHeld: true;
  /** False after another process took the lock of a suspended one. Reads the file only if the last check is old. */
  isKept(): boolean;
  /** Never throws: a lock that cannot be removed is found dead later. */
  release(): void;
}

export interface RefusedLock {
  readonly isHeld: false;
  /** Undefined when the lock file does not name it. */
  readonly holder: LockOwner | undefined;
  /** When it was taken, if known, else an estimate. */
  readonly since: Date;
  readonly found: FoundLock | undefined;
  readonly state: LockState;
}

export interface HeldLockOptions {
  readonly process: ProcessFacts;
  readonly clock: Pick<ProgramClock, 'date' | 'monotonic' | 'repeat'>;
}

/** Unique; loading node:crypto would take longer than taking the lock. */
function createToken(process: ProcessFacts, date: Date): string {
  const parts = [process.id, date.getTime(), hrtime.bigint()];
  return parts.map((part) => part.toString(36)).join('-');
}

/** The lock with this process as its owner, or the lock of another process. */
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
 * Takes the lock at once, or returns its owner. Breaks a dead lock: the lock of a dead process of this machine, and a
 * lock of a different machine or container that was not renewed for a minute.
 * @throws the system's error when the lock's folder cannot be written
 */
export function takeLock(
  path: string,
  {
    process,
    clock,
  }: { readonly process: ProcessFacts; readonly clock: Pick<ProgramClock, 'date'> },
): TakenLock {
  const now = clock.date();
  const owner = createOwner(process, now, createToken(process, now));
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

/** {@link openLockSocket} in the background; a lock released before the socket is open closes it at once. */
function startLockSocket(path: string, owner: LockOwner, process: ProcessFacts): CloseSocket {
  if (!isInContainer(process)) return () => undefined;
  let isReleased = false;
  let close: CloseSocket | undefined;
  const open = async () => {
    close = await openLockSocket(path, owner, process);
    if (isReleased) close();
  };
  // Without a socket, the renewals of the lock show that its owner is running.
  open().catch(() => undefined);
  return () => {
    isReleased = true;
    close?.();
  };
}

function keepLock(path: string, owner: LockOwner, { clock, process }: HeldLockOptions): HeldLock {
  const closeSocket = startLockSocket(path, owner, process);
  let isLost = false;
  // By both clocks: the monotonic one may stop while the machine sleeps, and the other one may be set.
  let checked = { date: clock.date().getTime(), monotonic: clock.monotonic() };
  const renew = () => {
    checked = { date: clock.date().getTime(), monotonic: clock.monotonic() };
    const renewal = renewLock(path, owner.token);
    const isMissing = renewal === 'missing' && !createLock(path, owner);
    if (renewal === 'taken' || isMissing) isLost = true;
    if (!isLost) return;
    stop();
    closeSocket();
  };
  const stop = clock.repeat(renewalInterval, () => quietly(renew));
  const isOld = (now: number, last: number) => Math.abs(now - last) > 2 * renewalInterval;
  return {
    isHeld: true,
    isKept() {
      const { date, monotonic } = checked;
      if (isOld(clock.date().getTime(), date) || isOld(clock.monotonic(), monotonic)) {
        quietly(renew);
      }
      return !isLost;
    },
    release() {
      stop();
      quietly(closeSocket);
      releaseLock(path, owner.token);
    },
  };
}

/** Takes the lock as {@link takeLock} does, and keeps it until it is released. @throws the system's error */
export function holdLock(path: string, options: HeldLockOptions): HeldLock | RefusedLock {
  const taken = takeLock(path, options);
  return taken.isHeld ? keepLock(path, taken.owner, options) : taken;
}
