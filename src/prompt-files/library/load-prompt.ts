import path from 'node:path';
import { splitFrontMatter } from '../../front-matter.ts';
import { parsePromptFile } from '../parse-prompt-file.ts';
import { failureAt, type SourceFile } from '../place.ts';
import {
  checkDeclarations,
  placesWords,
  type PromptFile,
  type PromptSource,
} from '../prompt-file.ts';
import {
  joinTexts,
  parseTemplate,
  type Part,
  type Placeholder,
  type Template,
} from '../template.ts';
import {
  type Boundary,
  checkInside,
  isFile,
  resolveReference,
  type FoundPrompt,
} from './find-prompt.ts';

/** The `user.md` of a fabric pattern, whose `system.md` is `file`; undefined without one. */
export async function readUser(
  file: SourceFile,
  read: (file: SourceFile) => Promise<string>,
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
      if (above.includes(file.path)) {
        throw failureAt(part.place, `${file.name} includes itself`);
      }
      const { body, bodyLine: firstLine } = splitFrontMatter(content);
      const included = parseTemplate(body, { file, firstLine, takesArguments });
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

/**
 * Reads and parses a prompt file with all that it includes.
 * @param directory the current one, absolute
 * @throws Failure `usage` with the file and the line
 */
export async function loadPrompt(
  found: FoundPrompt,
  {
    directory,
    read,
  }: { readonly directory: string; readonly read: (file: SourceFile) => Promise<string> },
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
