import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import { withBranch } from '../conversations/position.ts';
import { notice, type Entry } from '../transcript/transcript.ts';
import type { Session } from '../session.ts';
import { unquoted, type SlashCommand } from '../slash-command.ts';
import type { ReplState } from '../state.ts';
import { step, printNotice, startActivity, refuse } from '../step.ts';

/** A file that is attached again replaces the earlier one. */
export function withFile(
  files: readonly AttachedFile[],
  file: AttachedFile,
): readonly AttachedFile[] {
  return [...files.filter(({ name }) => name !== file.name), file];
}

export const withAttached = (state: ReplState, file: AttachedFile): ReplState => ({
  ...state,
  attachments: withFile(state.attachments, file),
});

/** Discards a prompt that `/edit` or `/undo` restored, with its files; an undo stays. */
export function discardRestored(state: ReplState): ReplState {
  const { branch, attachments, restoredFiles } = state;
  if (branch === undefined) return state;
  const kept = attachments.filter((file) => !restoredFiles.includes(file));
  const next = { ...state, attachments: kept, restoredFiles: [] };
  return withBranch(next, branch.reason === 'edit' ? undefined : branch);
}

export async function attach(
  session: Session,
  path: string,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const { files, summary } = await session.files.attach(path, signal);
  session.update((state) => step(files.reduce(withAttached, state)));
  return [notice(summary ?? `${path} is attached to the next prompt`)];
}

export const attachCommand: SlashCommand = {
  name: 'attach',
  argument: '<path>',
  summary: 'attach a text file to the next prompt',
  example: '/attach notes.md; /attach none removes it',
  completes: 'files',
  run(state, argument) {
    if (argument === 'none') {
      return printNotice({ ...state, attachments: [] }, 'no files are attached');
    }
    if (argument !== '') return startActivity(state, 'reading a file', attach, unquoted(argument));
    const names = state.attachments.map(({ name }) => name);
    return names.length === 0
      ? refuse(state, '/attach needs a file', '/attach notes.md, or @notes.md in a prompt')
      : printNotice(state, `attached: ${names.join(', ')}; /attach none removes them`);
  },
};
