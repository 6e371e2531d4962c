import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import type { SessionCore } from '../session/session-core.ts';
import type { AnswerOutcome } from '../state/action.ts';
import { withFile } from '../state/attachments.ts';
import type { PromptToSend } from '../state/effect.ts';
import { notice, type Entry } from '../state/entry.ts';
import { attachedEntries } from '../text/sent-prompt.ts';
import type { MentionedFiles } from './mentioned-files.ts';

type Unconfirmed = Extract<AnswerOutcome, { readonly type: 'unconfirmed' }>;

export interface CheckedFiles {
  readonly type: 'files';
  readonly files: readonly AttachedFile[];
  /** Name the files in the transcript. */
  readonly entries: readonly Entry[];
}

const nothing: MentionedFiles = { files: [], summaries: [], counted: new Set(), problems: [] };

/** @throws Failure if a mentioned file cannot be read */
async function mentionedBy(
  core: SessionCore,
  prompt: PromptToSend & { readonly type: 'new' },
  signal: AbortSignal,
): Promise<MentionedFiles> {
  if (prompt.mentions.length === 0) return nothing;
  const { readMentioned } = await import('./mentioned-files.ts');
  return readMentioned(core, prompt, signal);
}

/**
 * The files of a prompt as they may be sent, or why it needs confirmation first.
 * @throws Failure if a mentioned file cannot be read
 */
export async function checkFiles(
  core: SessionCore,
  prompt: PromptToSend,
  signal: AbortSignal,
): Promise<Unconfirmed | CheckedFiles> {
  if (prompt.type !== 'new') return { type: 'files', files: [], entries: [] };
  const mentioned = await mentionedBy(core, prompt, signal);
  const all = mentioned.files.reduce(withFile, prompt.files);
  const { files: checked, problem: secrets } = await core.ports.guard.inspect(all, prompt);
  const problem = [...mentioned.problems, secrets].filter((text) => text !== undefined).join('; ');
  if (problem !== '') return { type: 'unconfirmed', problem, hasSecrets: secrets !== undefined };
  const named = checked.filter(({ name }) => !mentioned.counted.has(name));
  const entries = [...attachedEntries(named), ...mentioned.summaries.map(notice)];
  return { type: 'files', files: checked, entries };
}
