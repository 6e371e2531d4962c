import { failureAt } from './place.ts';
import { placesWords, type PromptFile, type PromptSource } from './prompt-file.ts';
import { splitFrontMatter } from '../front-matter.ts';
import {
  joinTexts,
  type Part,
  parseTemplate,
  type Placeholder,
  type Template,
} from './template.ts';

/** Reads the file that an `include` placeholder names. */
export type ReadInclude = (include: Placeholder) => Promise<PromptSource>;

/** Files that include each other twice would grow forever. */
const mostIncludes = 500;

interface Resolution {
  readonly read: ReadInclude;
  readonly takesArguments: boolean;
  /** The number of includes so far. */
  count: number;
}

async function resolveParts(
  template: Template,
  above: readonly string[],
  resolution: Resolution,
): Promise<Template> {
  const parts: Part[] = [];
  for (const part of template) {
    if (part.kind !== 'include') {
      parts.push(part);
      continue;
    }
    resolution.count += 1;
    if (resolution.count > mostIncludes) {
      throw failureAt(part.place, `more than ${mostIncludes} files are included`);
    }
    const { file, content } = await resolution.read(part);
    if (above.includes(file.path)) {
      throw failureAt(part.place, `${file.name} includes itself`);
    }
    const { body, bodyLine: firstLine } = splitFrontMatter(content);
    const { takesArguments } = resolution;
    const included = parseTemplate(body, { file, firstLine, takesArguments });
    parts.push(...(await resolveParts(included, [...above, file.path], resolution)));
  }
  return joinTexts(parts);
}

/**
 * Replaces each `include` placeholder by the text of its file without front matter, whose placeholders belong to the
 * prompt too.
 * @throws Failure `usage` with the file and the line for files that include each other
 */
export async function resolveIncludes(prompt: PromptFile, read: ReadInclude): Promise<PromptFile> {
  const resolution = { read, takesArguments: placesWords(prompt), count: 0 };
  const above = [prompt.file.path];
  const { system } = prompt;
  return {
    ...prompt,
    system: system && (await resolveParts(system, above, resolution)),
    prompt: await resolveParts(prompt.prompt, above, resolution),
  };
}
