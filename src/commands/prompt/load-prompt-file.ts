import { loadPrompt } from '../../prompt-files/library/load-prompt.ts';
import type { FoundPrompt } from '../../prompt-files/library/find-prompt.ts';
import type { SourceFile } from '../../prompt-files/place.ts';
import type { PromptFile } from '../../prompt-files/prompt-file.ts';
import type { FolderFacts } from '../../settings/folders.ts';
import { attachFiles, type AttachOptions } from './attach-files.ts';
import { promptPlaces } from './prompt-places.ts';

/** Reads the text of a file through the reader of attachments. @throws Failure */
export async function readTextFile(options: AttachOptions, file: SourceFile): Promise<string> {
  const [attached] = await attachFiles([file.path], options);
  return attached?.content ?? '';
}

/** Reads and parses a prompt file. @throws Failure with the file and the line */
export function loadPromptFile(
  context: FolderFacts,
  options: AttachOptions,
  found: FoundPrompt,
): Promise<PromptFile> {
  const { directory } = promptPlaces(context);
  return loadPrompt(found, { directory, read: (file) => readTextFile(options, file) });
}
