import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import { isPromptName, newProjectFolder } from '../../prompt-files/library/find-prompt.ts';
import { makePrivateFolder, replaceContent } from '../../storage/files.ts';
import { errorCode, storageFailure } from '../../storage/storage-failure.ts';
import type { Context } from '../../run.ts';
import { refuseReservedName } from '../../storage/file-name.ts';
import { promptPlaces } from '../prompt/prompt-places.ts';

/** The folder of a person's own prompts. @throws Failure `storage` without a home folder */
export function requireOwn(own: string | undefined): string {
  if (own !== undefined) return own;
  throw new Failure(
    'storage',
    'the folder of your prompt files is unknown: there is no home folder',
    {
      hint: 'set NATTER_CONFIG_DIR',
    },
  );
}

/** @throws Failure `usage` for a name that cannot be that of a file */
export function checkNewName(context: Context, name: string): void {
  refuseReservedName(name, context.platform);
  if (isPromptName(name) && /^[\w./-]+$/.test(name)) return;
  throw new Failure('usage', `"${name}" cannot be the name of a prompt file`, {
    hint: 'use letters, digits, - and _, with / for folders',
  });
}

/** Where a new prompt file of this name is written. */
export function newPath(context: Context, name: string, isOfProject: boolean): string {
  const places = promptPlaces(context);
  const folder = isOfProject ? newProjectFolder(places) : requireOwn(places.own);
  return path.join(folder, `${name.replace(/\.md$/, '')}.md`);
}

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
