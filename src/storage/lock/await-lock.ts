import { findLife } from './life-sign.ts';
import { findLock } from './lock-file.ts';
import type { LockOwner } from './lock-owner.ts';
import type { ProcessFacts } from './process-facts.ts';
import { breakDeadLock, longestSilence, stateOf } from './stale-lock.ts';

/** Milliseconds between two checks of a lock. */
const pause = 1000;

export interface AwaitOptions {
  readonly process: ProcessFacts;
  readonly clock: {
    monotonic(): number;
    sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  };
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Called once, before a wait of more than a moment. `longest` is milliseconds. */
  readonly onWait: (holder: LockOwner, longest: number) => void;
}

/**
 * Waits while a lock cannot be judged: its process runs on another host, or in another container, and has renewed
 * it in the last minute. Returns as soon as the lock is free or dead, or it is clear that its process is running.
 * @throws the system's error, or the signal's reason
 */
export async function awaitLock(path: string, options: AwaitOptions): Promise<void> {
  const { process, clock, signal, onWait } = options;
  const first = findLock(path);
  const holder = first?.owner;
  if (first === undefined || holder === undefined) return;
  // Locks of older versions are not renewed: watching them shows nothing.
  if (holder.since === undefined) return;
  const probe = `${process.id}-${Math.floor(clock.monotonic())}`;
  const judged = stateOf(path, first, process, probe);
  if (judged.type !== 'unknown') return;
  // `stateOf` may just have set the time of a lock from the future.
  const seen = findLock(path)?.renewedAt;
  const life = await findLife(path, holder, process);
  if (life === 'gone') {
    breakDeadLock(path, first, probe);
  }
  if (life !== 'unknown') return;
  onWait(holder, judged.remaining);
  const start = clock.monotonic();
  for (;;) {
    await clock.sleep(pause, signal);
    const found = findLock(path);
    // Taken or renewed meanwhile: its owner is running.
    if (found?.token !== first.token || found.renewedAt !== seen) return;
    if (stateOf(path, found, process, probe).type !== 'unknown') return;
    // Not renewed, whatever the clock of the file system shows.
    if (clock.monotonic() - start < longestSilence) continue;
    breakDeadLock(path, first, probe);
    return;
  }
}
