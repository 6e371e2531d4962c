import { Failure } from '../../failure.ts';
import type { SessionCore } from '../session/session-core.ts';

/**
 * Sends a request, and once more if the service refused the key and a password manager's command prints a different one.
 * @throws the error of `send`
 */
export async function renewKey(
  core: SessionCore,
  signal: AbortSignal,
  send: () => Promise<void>,
): Promise<void> {
  try {
    await send();
  } catch (error) {
    const isRejected = error instanceof Failure && error.status === 401 && !signal.aborted;
    const renew = isRejected ? core.ports.service.keyRenewal() : undefined;
    if (renew === undefined || !(await core.screen.lend(renew))) throw error;
    await send();
  }
}
