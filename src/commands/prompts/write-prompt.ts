import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import { makePrivateFolder, replaceContent } from '../../storage/files.ts';
import { errorCode, storageFailure } from '../../storage/storage-failure.ts';

/**
 * Writes a new prompt file and its folders: for its owner only, or in a project with the usual permissions.
 * @param isForced replaces an existing file
 * @throws Failure `usage` for an existing file, `storage`
 */
export function createPromptFile(
  file: string,
  text: string,
  isOfProject: boolean,
  isForced = false,
): void {
  const folder = path.dirname(file);
  try {
    if (isOfProject) fs.mkdirSync(folder, { recursive: true });
    else makePrivateFolder(folder);
    const mode = isOfProject ? 0o666 : 0o600;
    // Replaces a link itself: the file that it leads to may be outside the project.
    if (isForced) replaceContent(file, text, mode);
    else fs.writeFileSync(file, text, { flag: 'wx', mode });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw storageFailure('write', file, error);
    throw new Failure('usage', `${file} exists`, { hint: '--force replaces it' });
  }
}
