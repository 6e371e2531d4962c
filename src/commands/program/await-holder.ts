import { existsSync } from 'node:fs';
import type { Notices } from '../../output/notices.ts';
import { awaitLock } from '../../storage/lock/lock.ts';
import { storageFailure } from '../../storage/storage-failure.ts';
import type { Context } from '../../run.ts';

/**
 * Waits up to a minute until it is known whether the natter that has a lock is still running; it may be in a different
 * container or on a different host.
 * @param subject what is locked, for the notice
 * @throws Failure `storage`; the signal's reason
 */
export async function awaitHolder(
  { process, clock, signal }: Context,
  notices: Notices,
  lockPath: string,
  subject: string,
): Promise<void> {
  if (!existsSync(lockPath)) return;
  try {
    await awaitLock(lockPath, { process, clock, signal }, ({ processId, host }, longest) => {
      const holder = `process ${processId} on ${host}`;
      const wait = `checking for up to ${Math.ceil(longest / 1000)} s whether it is still running`;
      notices.notice(`another natter (${holder}) has ${subject} open; ${wait}`);
    });
  } catch (error) {
    signal.throwIfAborted();
    throw storageFailure('write', lockPath, error);
  }
}
