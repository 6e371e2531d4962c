import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import type { SessionPorts } from '../session/ports.ts';
import type { AnswerOutcome } from '../state/action.ts';
import type { PromptToSend } from '../state/effect.ts';
import { mentionProblem, readMentioned } from './mentioned-files.ts';

type Unconfirmed = Extract<AnswerOutcome, { readonly type: 'unconfirmed' }>;

/**
 * The files of a prompt as they may be sent, or why it needs confirmation first.
 * @throws Failure if a mentioned file cannot be read
 */
export async function checkFiles(
  { files, guard }: Pick<SessionPorts, 'files' | 'guard'>,
  prompt: PromptToSend,
  signal: AbortSignal,
): Promise<Unconfirmed | { readonly type: 'files'; readonly files: readonly AttachedFile[] }> {
  if (prompt.type !== 'new') return { type: 'files', files: [] };
  const mention = mentionProblem(files, prompt);
  const all = [...prompt.files, ...(await readMentioned(files, prompt, signal))];
  const { files: checked, problem: secrets } = await guard.inspect(all, prompt);
  const problem = [mention, secrets].filter((text) => text !== undefined).join('; ');
  if (problem === '') return { type: 'files', files: checked };
  return { type: 'unconfirmed', problem, hasSecrets: secrets !== undefined };
}
