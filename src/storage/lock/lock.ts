import { hrtime } from 'node:process';

import type { ProgramClock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { storageFailure } from '../storage-failure.ts';
import {
  breakDeadLock,
  createLock,
  createOwner,
  findLock,
  livenessOf,
  quietly,
  releaseLock,
  renewLock,
  staleAfter,
  stateOf,
  type FoundLock,
  type LockOwner,
  type LockState,
} from './lock-file.ts';
import type { ProcessFacts } from './process-facts.ts';

/** Milliseconds from one renewal of a lock to the next. */
const renewalInterval = 10_000;

export interface LockOptions {
  readonly process: ProcessFacts;
  readonly clock: ProgramClock;
  /** Ends a wait for the lock. */
  readonly signal?: AbortSignal | undefined;
}

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
  readonly state: LockState;
}

/** Unique; loading node:crypto would take longer than taking the lock. */
function createToken(process: ProcessFacts, date: Date): string {
  const parts = [process.id, date.getTime(), hrtime.bigint()];
  return parts.map((part) => part.toString(36)).join('-');
}

function refusedLock(found: FoundLock | undefined, state: LockState, now: Date): RefusedLock {
  const holder = found?.owner;
  const since = new Date(holder?.since ?? found?.renewedAt ?? now);
  return { isHeld: false, holder, since: Number.isNaN(since.getTime()) ? now : since, state };
}

/**
 * Takes the lock at once, or returns its owner. Breaks a dead lock: the lock of a dead process of this machine, and a
 * lock of a different machine or container that was not renewed for a minute.
 * @throws the system's error when the lock's folder cannot be written
 */
function takeLock(
  path: string,
  { process, clock }: LockOptions,
): RefusedLock | { readonly isHeld: true; readonly owner: LockOwner } {
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

function keepLock(path: string, owner: LockOwner, clock: ProgramClock): HeldLock {
  let isLost = false;
  // By both clocks: the monotonic one may stop while the machine sleeps, and the other one may be set.
  let checked = { date: clock.date().getTime(), monotonic: clock.monotonic() };
  const renew = () => {
    checked = { date: clock.date().getTime(), monotonic: clock.monotonic() };
    const renewal = renewLock(path, owner.token);
    const isMissing = renewal === 'missing' && !createLock(path, owner);
    if (renewal === 'taken' || isMissing) isLost = true;
    if (isLost) stop();
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
      releaseLock(path, owner.token);
    },
  };
}

/** Takes the lock as {@link takeLock} does, and keeps it until it is released. @throws the system's error */
export function holdLock(path: string, options: LockOptions): HeldLock | RefusedLock {
  const taken = takeLock(path, options);
  return taken.isHeld ? keepLock(path, taken.owner, options.clock) : taken;
}

/**
 * Whether a different process holds the lock, as far as that is visible without writing: the lock of a process that
 * cannot be seen counts while it is renewed.
 * @throws the system's error
 */
export function isHeldElsewhere(path: string, process: ProcessFacts, now: Date): boolean {
  const found = findLock(path);
  if (found === undefined) return false;
  const { owner, isForeign, renewedAt } = found;
  if (owner === undefined) return isForeign;
  const liveness = livenessOf(owner, process);
  if (liveness === 'unknown') return now.getTime() - renewedAt < staleAfter;
  return liveness === 'alive' && owner.processId !== process.id;
}

/** Milliseconds; longer than most writes take. */
const writePause = 15;
/** Milliseconds. */
const maxWait = 10_000;

function heldTooLong(path: string, { holder, state }: RefusedLock): Failure {
  const who = holder === undefined ? '' : ` (process ${holder.processId} on ${holder.host})`;
  const hint =
    state.type === 'unknown'
      ? `try again in ${Math.ceil(state.remaining / 1000)} s: if that natter is not running, the lock is removed then`
      : 'try again; if no natter is running, delete that file';
  return new Failure('storage', `another natter${who} has locked ${path} for too long`, { hint });
}

async function awaitOwnLock(path: string, options: LockOptions): Promise<LockOwner> {
  const { clock, signal } = options;
  const start = clock.monotonic();
  for (;;) {
    const taken = takeLock(path, options);
    if (taken.isHeld) return taken.owner;
    if (clock.monotonic() - start > maxWait) throw heldTooLong(path, taken);
    await clock.sleep(writePause, signal);
  }
}

/**
 * Runs `action` while no other process has the lock. Breaks a dead lock, like {@link takeLock}.
 * @throws Failure `storage` when the lock is not free within ten seconds; the reason of a signal that aborts; and any
 * error of `action`
 */
export async function withLock<Result>(
  path: string,
  options: LockOptions,
  action: () => Result,
): Promise<Result> {
  let owner: LockOwner;
  try {
    owner = await awaitOwnLock(path, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error instanceof Failure ? error : storageFailure('write', path, error);
  }
  try {
    return action();
  } finally {
    releaseLock(path, owner.token);
  }
}

/** Milliseconds between two checks of a lock. */
const watchPause = 1000;

/**
 * Waits while the state of a lock is unknown: its process runs on a different host or in a different container, and
 * renewed the lock in the last minute. Returns when the lock is free or dead, or its process is known to be running.
 * @param onWait called once, before a longer wait of at most `longest` milliseconds
 * @throws the system's error, or the signal's reason
 */
export async function awaitLock(
  path: string,
  options: LockOptions,
  onWait: (holder: LockOwner, longest: number) => void,
): Promise<void> {
  const { process, clock, signal } = options;
  const first = findLock(path);
  if (first?.owner === undefined) return;
  const probe = `${process.id}-${Math.floor(clock.monotonic())}`;
  const state = stateOf(path, first, process, probe);
  if (state.type !== 'unknown') return;
  // `stateOf` may have changed the time of a lock from the future.
  const renewedAt = findLock(path)?.renewedAt;
  onWait(first.owner, state.remaining);
  const start = clock.monotonic();
  for (;;) {
    await clock.sleep(watchPause, signal);
    const found = findLock(path);
    // Taken or renewed meanwhile: its owner is running.
    if (found?.token !== first.token || found.renewedAt !== renewedAt) return;
    if (stateOf(path, found, process, probe).type !== 'unknown') return;
    // Without a renewal for that long the lock is dead, even if the clock of the file system is wrong.
    if (clock.monotonic() - start < staleAfter) continue;
    breakDeadLock(path, first, probe);
    return;
  }
}
