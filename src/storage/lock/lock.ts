import type { Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { takeLock, type RefusedLock } from './hold-lock.ts';
import { releaseLock } from './lock-file.ts';
import type { LockOwner } from './lock-owner.ts';
import type { ProcessFacts } from './process-facts.ts';
import { storageFailure } from '../storage-failure.ts';

export interface LockOptions {
  readonly clock: Clock;
  readonly process: ProcessFacts;
  /** Ends the wait for the lock. */
  readonly signal?: AbortSignal;
}

/** Milliseconds; longer than most writes take. */
const pause = 15;
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
    await clock.sleep(pause, signal);
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
