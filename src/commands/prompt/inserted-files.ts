import type { AttachedFile } from '../../conversation/compose-prompt.ts';
import { resolveReference } from '../../prompt-files/library/boundary.ts';
import type { FoundPrompt } from '../../prompt-files/library/find-prompt.ts';
import { partsOf, type PromptFile } from '../../prompt-files/prompt-file.ts';
import { type Placeholder, placeholdersOf } from '../../prompt-files/template.ts';
import type { Context } from '../program/context.ts';
import type { AttachOptions } from './attach-files.ts';
import type { SecretGuard } from './guard/secret-guard.ts';
import { readTextFile } from './load-prompt-file.ts';
import { promptPlaces } from './prompt-places.ts';

/** Reads the files of the `file` placeholders, each once. */
export async function readInserted(
  context: Context,
  { guard, ...options }: AttachOptions & { readonly guard?: SecretGuard | undefined },
  found: FoundPrompt,
  prompt: PromptFile,
): Promise<(placeholder: Placeholder) => string> {
  const { directory } = promptPlaces(context);
  const paths = new Map<Placeholder, string>();
  const contents = new Map<string, AttachedFile>();
  for (const placeholder of placeholdersOf(partsOf(prompt), 'file')) {
    const file = resolveReference(found.boundary, placeholder, directory);
    paths.set(placeholder, file.path);
    if (contents.has(file.path)) continue;
    contents.set(file.path, { name: file.name, content: await readTextFile(options, file) });
  }
  const read = [...contents];
  const inspected = await guard?.inspect(read.map(([, text]) => text));
  const texts = new Map(
    read.map(([path, text], index) => [path, (inspected?.[index] ?? text).content]),
  );
  return (placeholder) => texts.get(paths.get(placeholder) ?? '') ?? '';
}
