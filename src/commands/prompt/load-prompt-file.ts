import { loadPrompt } from '../../prompt-files/library/load-prompt.ts';
import type { FoundPrompt } from '../../prompt-files/library/find-prompt.ts';
import type { SourceFile } from '../../prompt-files/place.ts';
import type { PromptFile } from '../../prompt-files/prompt-file.ts';
import type { FolderFacts } from '../../settings/folders.ts';
import { attachFiles, type AttachOptions } from './attach-files.ts';
import type { SecretGuard } from './guard/secret-guard.ts';
import { promptPlaces } from './prompt-places.ts';

/** Reads the text of a file through the reader of attachments. @throws Failure */
export async function readTextFile(options: AttachOptions, file: SourceFile): Promise<string> {
  const [attached] = await attachFiles([file.path], options);
  return attached?.content ?? '';
}

interface LoadOptions extends AttachOptions {
  /** Checks the file and what it includes; undefined if nothing is checked. */
  readonly guard?: SecretGuard | undefined;
}

/** Reads and parses a prompt file. @throws Failure with the file and the line */
export function loadPromptFile(
  context: FolderFacts,
  { guard, ...options }: LoadOptions,
  found: FoundPrompt,
): Promise<PromptFile> {
  const { directory } = promptPlaces(context);
  const read = async (file: SourceFile) => {
    const content = await readTextFile(options, file);
    if (guard === undefined) return content;
    const [inspected] = await guard.inspect([{ name: file.name, content }]);
    return inspected?.content ?? content;
  };
  return loadPrompt(found, { directory, read });
}
