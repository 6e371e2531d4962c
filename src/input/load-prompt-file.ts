import path from 'node:path';
import { rephrase } from '../client/failure/change-failure.ts';
import type { AttachedFile } from '../conversation/compose-prompt.ts';
import { decodeText } from '../conversation/decode-text.ts';
import { Failure } from '../failure.ts';
import {
  type FoundPrompt,
  type PromptPlaces,
  resolveReference,
} from '../prompt-files/library/find-prompt.ts';
import { loadPrompt } from '../prompt-files/library/load-prompt.ts';
import type { SourceFile } from '../prompt-files/place.ts';
import { partsOf, type PromptFile } from '../prompt-files/prompt-file.ts';
import { type Placeholder, placeholdersOf } from '../prompt-files/template.ts';
import { resolveFolders, type FolderFacts } from '../settings/folders.ts';
import { failureReason } from '../storage/storage-failure.ts';
import { type AttachOptions, readBytes } from './attach-files.ts';
import type { SecretGuard } from './secret-guard.ts';

/** Where prompt files are looked up: from the current directory on, and in the settings folder. */
export function promptPlaces(context: FolderFacts): PromptPlaces {
  const { config } = resolveFolders(context);
  return {
    directory: path.resolve('.'),
    homeDirectory: context.homeDirectory,
    own: config === undefined ? undefined : path.join(config, 'prompts'),
  };
}

/** Reads a prompt file, or a file that it names. @throws Failure `usage` */
export async function readTextFile(
  { signal }: AttachOptions,
  { name, path: file }: SourceFile,
): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readBytes(file, signal);
  } catch (error) {
    signal.throwIfAborted();
    const isTooLong = error instanceof Failure;
    const reason = isTooLong ? 'it exceeds every context window' : failureReason(error);
    throw new Failure('usage', `cannot read ${name}: ${reason}`, { cause: error });
  }
  try {
    return decodeText(bytes, { source: name });
  } catch (error) {
    // The options for other encodings apply to standard input and -f.
    if (!(error instanceof Failure)) throw error;
    throw rephrase(error, { hint: 'save it as UTF-8 text' });
  }
}

export interface LoadOptions extends AttachOptions {
  /** Checks the file and what it includes; undefined if nothing is checked. */
  readonly guard?: SecretGuard | undefined;
}

/** Reads and parses a prompt file. @throws Failure with the file and the line */
export function loadPromptFile(
  { guard, ...options }: LoadOptions,
  found: FoundPrompt,
): Promise<PromptFile> {
  const { directory } = promptPlaces(options.context);
  const read = async (file: SourceFile) => {
    const content = await readTextFile(options, file);
    if (guard === undefined) return content;
    const [inspected] = await guard.inspect([{ name: file.name, content }]);
    return inspected?.content ?? content;
  };
  return loadPrompt(found, { directory, read });
}

/** Reads the files of the `file` placeholders, each once. */
export async function readInserted(
  { guard, ...options }: LoadOptions,
  found: FoundPrompt,
  prompt: PromptFile,
): Promise<(placeholder: Placeholder) => string> {
  const { directory } = promptPlaces(options.context);
  /** In the order of the texts. */
  const paths: string[] = [];
  const texts: AttachedFile[] = [];
  const indexes = new Map<Placeholder, number>();
  for (const placeholder of placeholdersOf(partsOf(prompt), 'file')) {
    const file = resolveReference(found.boundary, placeholder, directory);
    if (!paths.includes(file.path)) {
      paths.push(file.path);
      texts.push({ name: file.name, content: await readTextFile(options, file) });
    }
    indexes.set(placeholder, paths.indexOf(file.path));
  }
  const inspected = (await guard?.inspect(texts)) ?? texts;
  return (placeholder) => inspected[indexes.get(placeholder) ?? -1]?.content ?? '';
}
