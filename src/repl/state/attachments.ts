import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import { withBranch } from './position.ts';
import type { ReplState } from './state.ts';

/** A file that is attached again replaces the earlier one. */
export function withFile(
  files: readonly AttachedFile[],
  file: AttachedFile,
): readonly AttachedFile[] {
  return [...files.filter(({ name }) => name !== file.name), file];
}

/** Discards a prompt that `/edit` or `/undo` restored, with its files; an undo stays. */
export function discardRestored(state: ReplState): ReplState {
  const { branch, attachments, restoredFiles } = state;
  if (branch === undefined) return state;
  const kept = attachments.filter((file) => !restoredFiles.includes(file));
  const next = { ...state, attachments: kept, restoredFiles: [] };
  return withBranch(next, branch.reason === 'edit' ? undefined : branch);
}
