import type { Clock } from '../../clock.ts';
import { findLock } from './lock-file.ts';
import type { LockOwner } from './lock-owner.ts';
import { probeLockSocket } from './lock-socket.ts';
import type { ProcessFacts } from './process-facts.ts';
import { breakDeadLock, staleAfter, stateOf } from './stale-lock.ts';

/** Milliseconds between two checks of a lock. */
const pause = 1000;

export interface AwaitOptions {
  readonly process: ProcessFacts;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Called once, before a longer wait. `longest` is milliseconds. */
  readonly onWait: (holder: LockOwner, longest: number) => void;
}

/**
 * Waits while the state of a lock is unknown: its process runs on a different host or in a different container, and
 * renewed the lock in the last minute. Returns when the lock is free or dead, or its process is known to be running.
 * @throws the system's error, or the signal's reason
 */
export async function awaitLock(path: string, options: AwaitOptions): Promise<void> {
  const { process, clock, signal, onWait } = options;
  const first = findLock(path);
  const holder = first?.owner;
  if (first === undefined || holder === undefined) return;
  // Older versions do not renew their locks, so watching one shows nothing.
  if (holder.since === undefined) return;
  const probe = `${process.id}-${Math.floor(clock.monotonic())}`;
  const state = stateOf(path, first, process, probe);
  if (state.type !== 'unknown') return;
  // `stateOf` may have changed the time of a lock from the future.
  const renewedAt = findLock(path)?.renewedAt;
  const liveness = await probeLockSocket(path, holder, process);
  if (liveness === 'dead') breakDeadLock(path, first, probe);
  if (liveness !== 'unknown') return;
  onWait(holder, state.remaining);
  const start = clock.monotonic();
  for (;;) {
    await clock.sleep(pause, signal);
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
