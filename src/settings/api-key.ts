import { Failure, type FailureKind } from '../failure.ts';
import { keyProblem } from '../secrecy/key-problem.ts';

/**
 * The key without the spaces around it.
 * @param label where the key came from, for the message, which never contains the key
 * @throws Failure of `kind` for a key with characters not allowed in an HTTP header
 */
export function parseApiKey(text: string, label: string, kind: FailureKind): string {
  const key = text.trim();
  const problem = keyProblem(key);
  if (problem === undefined) return key;
  throw new Failure(kind, `${label} ${problem}`, {
    hint: 'copy the key again, alone and on one line',
  });
}
