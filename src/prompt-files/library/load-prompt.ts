import path from 'node:path';
import { parsePromptFile } from '../parse-prompt-file.ts';
import type { SourceFile } from '../place.ts';
import { checkDeclarations, type PromptFile, type PromptSource } from '../prompt-file.ts';
import { resolveIncludes } from '../resolve-includes.ts';
import { type Boundary, checkInside, isFile, resolveReference } from './boundary.ts';
import type { FoundPrompt } from './find-prompt.ts';

/** Returns the text of a file. @throws Failure */
type ReadText = (file: SourceFile) => Promise<string>;

export interface LoadPrompt {
  /** The current directory, absolute. */
  readonly directory: string;
  readonly read: ReadText;
}

/** The `user.md` of a fabric pattern, whose `system.md` is `file`; undefined without one. */
export async function readUser(
  file: SourceFile,
  read: ReadText,
  boundary?: Boundary,
): Promise<PromptSource | undefined> {
  if (path.basename(file.path).toLowerCase() !== 'system.md') return undefined;
  const user = {
    name: path.join(path.dirname(file.name), 'user.md'),
    path: path.join(path.dirname(file.path), 'user.md'),
  };
  if (!isFile(user.path)) return undefined;
  if (boundary !== undefined) checkInside(boundary, user);
  return { file: user, content: await read(user) };
}

/**
 * Reads and parses a prompt file with all that it includes.
 * @throws Failure `usage` with the file and the line
 */
export async function loadPrompt(
  found: FoundPrompt,
  { directory, read }: LoadPrompt,
): Promise<PromptFile> {
  const { file, boundary } = found;
  checkInside(boundary, file);
  const source = { file, content: await read(file) };
  const parsed = await parsePromptFile(source, await readUser(file, read, boundary));
  const prompt = await resolveIncludes(parsed, async (include) => {
    const included = resolveReference(boundary, include, directory);
    return { file: included, content: await read(included) };
  });
  checkDeclarations(prompt);
  return prompt;
}
