import path from 'node:path';
import type { PromptPlaces } from '../../prompt-files/library/find-prompt.ts';
import { resolveFolders, type FolderFacts } from '../../settings/folders.ts';

/** Where prompt files are looked up: from the current directory on, and in the settings folder. */
export function promptPlaces(context: FolderFacts): PromptPlaces {
  const { config } = resolveFolders(context);
  return {
    directory: path.resolve('.'),
    homeDirectory: context.homeDirectory,
    own: config === undefined ? undefined : path.join(config, 'prompts'),
  };
}
