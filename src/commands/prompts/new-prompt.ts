import path from 'node:path';
import { Failure } from '../../failure.ts';
import { isPromptName } from '../../prompt-files/library/find-prompt.ts';
import { newProjectFolder } from '../../prompt-files/library/prompt-folders.ts';
import type { Context } from '../program/context.ts';
import { refuseReservedName } from '../program/named-file.ts';
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
