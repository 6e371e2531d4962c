import path from 'node:path';
import { rephrase } from '../client/failure/change-failure.ts';
import type { AttachedFile } from '../conversation/compose-prompt.ts';
import { decodeText } from '../conversation/decode-text.ts';
import { Failure } from '../failure.ts';
import { splitFrontMatter } from '../front-matter.ts';
import {
  type Boundary,
  checkInside,
  type FoundPrompt,
  resolveReference,
} from '../prompt-files/find-prompt.ts';
import { failureAt, type SourceFile } from '../prompt-files/place.ts';
import {
  parsePromptFile,
  checkDeclarations,
  placesWords,
  type PromptFile,
  type PromptSource,
  usesOf,
} from '../prompt-files/prompt-file.ts';
import {
  joinTexts,
  parseTemplate,
  type Part,
  type Placeholder,
  type Template,
} from '../prompt-files/template.ts';
import { isFile } from '../storage/files.ts';
import { cannotRead } from '../storage/storage-failure.ts';
import { readBytes } from './attach-files.ts';
import type { SecretGuard } from './secret-guard.ts';

/** Reads a prompt file, or a file that it names. @throws Failure `usage`; or the signal's reason */
export async function readTextFile(
  { name, path: file }: SourceFile,
  signal: AbortSignal,
): Promise<string> {
  const bytes = await readBytes(file, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw cannotRead(name, error);
  });
  try {
    return decodeText(bytes, { source: name });
  } catch (error) {
    // The options for other encodings apply to standard input and -f.
    if (!(error instanceof Failure)) throw error;
    throw rephrase(error, { hint: 'save it as UTF-8 text' });
  }
}

/** Reads a file as it may be sent. @param guard undefined if nothing is checked. @throws Failure */
export async function readGuarded(
  file: SourceFile,
  signal: AbortSignal,
  guard: SecretGuard | undefined,
): Promise<PromptSource> {
  const content = await readTextFile(file, signal);
  const [inspected] = (await guard?.inspect([{ name: file.name, content }])) ?? [];
  return { file, content: inspected?.content ?? content };
}

/** The `user.md` of a fabric pattern, whose `system.md` is `file`; undefined without one. */
export function userFile(file: SourceFile, boundary?: Boundary): SourceFile | undefined {
  if (path.basename(file.path).toLowerCase() !== 'system.md') return undefined;
  const user = {
    name: path.join(path.dirname(file.name), 'user.md'),
    path: path.join(path.dirname(file.path), 'user.md'),
  };
  if (!isFile(user.path)) return undefined;
  if (boundary !== undefined) checkInside(boundary, user);
  return user;
}

/** Files that include each other twice would grow forever. */
const mostIncludes = 500;

/**
 * Replaces each `include` placeholder by the text of its file without front matter, whose placeholders belong to the
 * prompt too.
 * @param read reads the file that an `include` placeholder names
 * @throws Failure `usage` with the file and the line for files that include each other
 */
async function resolveIncludes(
  prompt: PromptFile,
  read: (include: Placeholder) => Promise<PromptSource>,
): Promise<PromptFile> {
  const takesArguments = placesWords(prompt);
  let count = 0;
  const resolve = async (template: Template, above: readonly string[]): Promise<Template> => {
    const parts: Part[] = [];
    for (const part of template) {
      if (part.kind !== 'include') {
        parts.push(part);
        continue;
      }
      count += 1;
      if (count > mostIncludes) {
        throw failureAt(part.place, `more than ${mostIncludes} files are included`);
      }
      const { file, content } = await read(part);
      if (above.includes(file.path)) throw failureAt(part.place, `${file.name} includes itself`);
      const { body, bodyLine: line } = splitFrontMatter(content);
      const included = parseTemplate(body, { file, line }, { takesArguments });
      parts.push(...(await resolve(included, [...above, file.path])));
    }
    return joinTexts(parts);
  };
  const above = [prompt.file.path];
  const { system } = prompt;
  return {
    ...prompt,
    system: system && (await resolve(system, above)),
    prompt: await resolve(prompt.prompt, above),
  };
}

/** Reads and parses a prompt file with all that it includes. @throws Failure `usage` with the file and the line */
export async function loadPromptFile(
  { file, boundary }: FoundPrompt,
  signal: AbortSignal,
  guard?: SecretGuard,
): Promise<PromptFile> {
  checkInside(boundary, file);
  const source = await readGuarded(file, signal, guard);
  const user = userFile(file, boundary);
  const parsed = await parsePromptFile(source, user && (await readGuarded(user, signal, guard)));
  const prompt = await resolveIncludes(parsed, (include) =>
    readGuarded(resolveReference(boundary, include), signal, guard),
  );
  checkDeclarations(prompt);
  return prompt;
}

/** Reads the files of the `file` placeholders; the guard inspects all of them at once. */
export async function readInserted(
  { boundary }: FoundPrompt,
  prompt: PromptFile,
  signal: AbortSignal,
  guard?: SecretGuard,
): Promise<(placeholder: Placeholder) => string> {
  const placeholders = usesOf(prompt, 'file');
  const texts: AttachedFile[] = [];
  for (const placeholder of placeholders) {
    const file = resolveReference(boundary, placeholder);
    texts.push({ name: file.name, content: await readTextFile(file, signal) });
  }
  const inspected = (await guard?.inspect(texts)) ?? texts;
  return (placeholder) => inspected[placeholders.indexOf(placeholder)]?.content ?? '';
}
