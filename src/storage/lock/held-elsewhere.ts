import { findLock } from './lock-file.ts';
import { livenessOf } from './lock-owner.ts';
import type { ProcessFacts } from './process-facts.ts';
import { staleAfter } from './stale-lock.ts';

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
