import type { Answer } from '../../ask/ask.ts';
import { Failure } from '../../failure.ts';
import { toFailure } from '../../output/ending-failure.ts';
import type { SessionCore } from '../session/session-core.ts';

/** Asks, and once more if the service refused the key and a password manager's command prints a different one. */
export async function renewKey(
  core: SessionCore,
  signal: AbortSignal,
  send: () => Promise<Answer>,
): Promise<Answer> {
  const answer = await send();
  const { error } = answer;
  const isRejected = error instanceof Failure && error.status === 401 && !signal.aborted;
  const renew = isRejected ? core.ports.service.keyRenewal() : undefined;
  if (renew === undefined) return answer;
  try {
    return (await core.screen.lend(renew)) ? await send() : answer;
  } catch (thrown) {
    return { ...answer, error: thrown, failure: toFailure(thrown) };
  }
}
