import type { FoundPrompt } from '../../prompt-files/find-prompt.ts';
import { type PromptFile, variablesOf } from '../../prompt-files/prompt-file.ts';
import type { Variable } from '../../prompt-files/front-matter-keys.ts';

/** A prompt file in a list, or why it cannot be used. */
export interface ListedPrompt {
  readonly found: FoundPrompt;
  readonly prompt?: PromptFile;
  readonly problem?: string;
}

const originNames = { project: 'project', own: 'yours', path: 'path' } as const;

function variableText({ name, choices, default: value }: Variable): string {
  if (value !== undefined) return `[--${name}=${value}]`;
  return `--${name}=${choices?.join('|') ?? 'TEXT'}`;
}

/** `--lang=ts|js [--tone=kind]`: optional variables are in brackets, with their defaults. */
const usageOf = (prompt: PromptFile) => variablesOf(prompt).map(variableText).join(' ');

/** A row of `natter prompts list`: name, origin, variables, description. */
export function promptRow({ found, prompt, problem }: ListedPrompt): readonly string[] {
  const variables = prompt === undefined ? '' : usageOf(prompt);
  const description = problem ?? prompt?.front.description ?? '';
  return [found.name, originNames[found.origin], variables, description];
}

const jsonVariable = ({ name, description, choices, default: value }: Variable) => ({
  name,
  description: description ?? null,
  choices: choices ?? null,
  default: value ?? null,
});

/** An element of `natter prompts list --json`. */
export function promptRecord({ found, prompt, problem }: ListedPrompt): object {
  return {
    name: found.name,
    origin: found.origin,
    path: found.file.path,
    description: prompt?.front.description ?? null,
    variables: prompt === undefined ? [] : variablesOf(prompt).map(jsonVariable),
    problem: problem ?? null,
  };
}

/** The document of `natter prompts show --json`: the record, and what the file sets. */
export function promptDocument(found: FoundPrompt, prompt: PromptFile, text: string): object {
  const { front } = prompt;
  const params = (front.params ?? []).map(({ value }) => value);
  return {
    ...promptRecord({ found, prompt }),
    format: prompt.format,
    model: front.model?.value ?? null,
    max_tokens: front.maxTokens?.value ?? null,
    params: Object.fromEntries(params),
    schema: front.schema?.value ?? null,
    argument_hint: front.argumentHint ?? null,
    text,
  };
}

/** `language; one of ts, js; required`. */
export function variableDetails({ description, choices, default: value }: Variable): string {
  const details = [
    description,
    choices && `one of ${choices.join(', ')}`,
    value === undefined ? 'required' : `default ${value}`,
  ];
  return details.filter((detail) => detail !== undefined).join('; ');
}

const variableLine = (variable: Variable) => `  --${variable.name}  ${variableDetails(variable)}`;

/** What `natter prompts show` prints before the text of the file. */
export function promptSummary(found: FoundPrompt, prompt: PromptFile): string {
  const { front } = prompt;
  const params = front.params?.map(
    ({ value: [name, value] }) => `${name}=${JSON.stringify(value)}`,
  );
  const schema = front.schema?.value;
  const schemaText = typeof schema === 'object' ? JSON.stringify(schema) : schema;
  const rows: readonly (readonly [label: string, value: string | undefined])[] = [
    ['File', found.file.name],
    ['Description', front.description],
    ['Model', front.model?.value],
    ['Max tokens', front.maxTokens?.value],
    ['Parameters', params?.join(', ')],
    ['Schema', schemaText],
    ['Words', front.argumentHint],
  ];
  const lines = rows.flatMap(([label, value]) =>
    value === undefined ? [] : [`${`${label}:`.padEnd(13)}${value}`],
  );
  const variables = variablesOf(prompt).map(variableLine);
  return [...lines, ...(variables.length === 0 ? [] : ['Variables:', ...variables])].join('\n');
}
