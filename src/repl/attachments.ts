import type { AttachedFile } from '../conversation/compose-prompt.ts';

/** A file that is attached again was read again: it takes its own place. */
export function withFile(
  files: readonly AttachedFile[],
  file: AttachedFile,
): readonly AttachedFile[] {
  return [...files.filter(({ name }) => name !== file.name), file];
}
