import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import { withBranch } from './position.ts';
import type { ReplState } from './state.ts';

/** Attaching a file again replaces its earlier content. */
export function withFile(
  files: readonly AttachedFile[],
  file: AttachedFile,
): readonly AttachedFile[] {
  return [...files.filter(({ name }) => name !== file.name), file];
}

/** The state after a reopened prompt is discarded, together with the files that came back with it. */
export function withoutReopened(state: ReplState): ReplState {
  const { branch, attachments, returnedFiles } = state;
  if (branch === undefined) return state;
  const kept = attachments.filter((file) => !returnedFiles.includes(file));
  const next = { ...state, attachments: kept, returnedFiles: [] };
  return withBranch(next, branch.reason === 'edit' ? undefined : branch);
}
