import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import { withBranch } from './position.ts';
import type { ReplState } from './state.ts';

/** A file that is attached again was read again: it takes its own place. */
export function withFile(
  files: readonly AttachedFile[],
  file: AttachedFile,
): readonly AttachedFile[] {
  return [...files.filter(({ name }) => name !== file.name), file];
}

/** The state after a prompt that was taken back is put aside: what came back with it goes with it. */
export function withoutReopened(state: ReplState): ReplState {
  const { branch, attachments, returnedFiles } = state;
  if (branch === undefined) return state;
  const kept = attachments.filter((file) => !returnedFiles.includes(file));
  const next = { ...state, attachments: kept, returnedFiles: [] };
  return withBranch(next, branch.reason === 'edit' ? undefined : branch);
}
