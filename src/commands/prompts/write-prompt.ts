import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import { makePrivateFolder } from '../../storage/private-folder.ts';
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
    const flag = isForced ? 'w' : 'wx';
    fs.writeFileSync(file, text, { flag, ...(!isOfProject && { mode: 0o600 }) });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw storageFailure('write', file, error);
    throw new Failure('usage', `${file} exists`, { hint: '--force replaces it' });
  }
}
