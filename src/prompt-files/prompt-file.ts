import type { FrontMatter, Variable } from './front-matter-keys.ts';
import { failureAt, type SourceFile } from './place.ts';
import { type Placeholder, placeholdersOf, type Template } from './template.ts';

/** A parsed prompt file. */
export interface PromptFile {
  readonly file: SourceFile;
  /** Who the file was written for: its name, its folder or its keys show it. */
  readonly format: 'markdown' | 'fabric' | 'agent' | 'llm';
  readonly front: Omit<FrontMatter, 'system'>;
  readonly system: Template | undefined;
  /** Empty if the file has only a system prompt. */
  readonly prompt: Template;
  /** What the file asks for and natter ignores, one sentence each. */
  readonly notices: readonly string[];
}

/** The text of a file to parse. */
export interface PromptSource {
  readonly file: SourceFile;
  readonly content: string;
}

/** The placeholders of a kind in a prompt, in the order of its texts: the system prompt is first. */
export const usesOf = (
  { system = [], prompt }: PromptFile,
  ...kinds: readonly Placeholder['kind'][]
): readonly Placeholder[] => placeholdersOf([...system, ...prompt], ...kinds);

/** Whether the words after the name have a place in the text; else they are appended. */
export const placesWords = (prompt: PromptFile): boolean =>
  usesOf(prompt, 'argument', 'arguments').length > 0;

/** Every variable: the declared ones, then those that only the text mentions, which are required. */
export function variablesOf(prompt: PromptFile): readonly Variable[] {
  const declared = prompt.front.variables ?? [];
  const found = new Map(declared.map((variable) => [variable.name, variable]));
  for (const { name, place } of usesOf(prompt, 'variable')) {
    if (!found.has(name)) found.set(name, { name, place });
  }
  return [...found.values()];
}

/**
 * Checks that a file that declares variables declares all that it uses.
 * @throws Failure `usage` with the file and the line
 */
export function checkDeclarations(prompt: PromptFile): void {
  const { variables } = prompt.front;
  if (variables === undefined || prompt.format === 'llm') return;
  const names = variables.map(({ name }) => name);
  const unknown = usesOf(prompt, 'variable').find(({ name }) => !names.includes(name));
  if (unknown === undefined) return;
  const { name, place } = unknown;
  throw failureAt(place, `{{${name}}} is not a variable of this prompt file`, {
    hint: `declare it under variables (${names.join(', ')}), or write \\{{${name}}} for the text`,
  });
}

/** Describes a variable for people: `language; one of ts, js; required`. */
export function variableDetails({ description, choices, default: value }: Variable): string {
  const details = [
    description,
    choices && `one of ${choices.join(', ')}`,
    value === undefined ? 'required' : `default ${value}`,
  ];
  return details.filter((detail) => detail !== undefined).join('; ');
}
