import { Failure } from '../../failure.ts';
import { takeLock, type RefusedLock } from './hold-lock.ts';
import { releaseLock } from './lock-file.ts';
import type { LockOwner } from './lock-owner.ts';
import type { ProcessFacts } from './process-facts.ts';
import { storageFailure } from '../storage-failure.ts';

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

/** Milliseconds. Longer than a write usually takes. */
const pause = 15;
const longestWait = 10_000;

function heldTooLong(path: string, { holder, state }: RefusedLock): Failure {
  const who = holder === undefined ? '' : ` (process ${holder.processId} on ${holder.host})`;
  const hint =
    state.type === 'unknown'
      ? `try again in ${Math.ceil(state.remaining / 1000)} s: if that natter is gone, the lock is removed then`
      : 'try again; if no natter is running, delete that file';
  return new Failure('storage', `another natter${who} has locked ${path} for too long`, { hint });
}

async function awaitOwnLock(path: string, options: LockOptions): Promise<LockOwner> {
  const { clock, signal } = options;
  const start = clock.monotonic();
  for (;;) {
    const taken = takeLock(path, options);
    if (taken.isHeld) return taken.owner;
    if (clock.monotonic() - start > longestWait) throw heldTooLong(path, taken);
    await clock.sleep(pause, signal);
  }
}

/**
 * Runs `action` while no other process that uses the same lock file does. Breaks a dead lock, like
 * {@link takeLock}.
 * @throws Failure `storage` when the lock is not free within ten seconds; the reason of a signal that aborts
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
