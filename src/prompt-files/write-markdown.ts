import { stringify } from 'yaml';
import type { FrontMatter, Variable } from './front-matter-keys.ts';
import { partsOf, placesWords, type PromptFile, variablesOf } from './prompt-file.ts';
import { escapePlaceholders, type Part, placeholdersOf, type Template } from './template.ts';

/** A value of JSON as YAML, with long texts in blocks. */
export const yamlText = (value: unknown): string =>
  stringify(value, { lineWidth: 0, blockQuote: 'literal', version: '1.1' });

function placeholderText(part: Exclude<Part, { readonly kind: 'text' }>): string {
  const { kind, name } = part;
  if (kind === 'argument') return `$${name}`;
  if (kind === 'arguments') return '$ARGUMENTS';
  if (kind === 'stdin') return '{{stdin}}';
  return kind === 'variable' ? `{{${name}}}` : `{{${kind}:${name}}}`;
}

/** The text of a template in natter's syntax. */
function templateText(template: Template, takesArguments: boolean): string {
  return template
    .map((part, index) => {
      if (part.kind !== 'text') return placeholderText(part);
      const isBeforePlaceholder = index < template.length - 1;
      return escapePlaceholders(part.text, takesArguments, isBeforePlaceholder);
    })
    .join('');
}

function variableValue({ description, default: value, choices }: Variable): unknown {
  if (description === undefined && choices === undefined) return value ?? null;
  if (description === undefined && value === undefined) return choices;
  return {
    ...(description !== undefined && { description }),
    ...(choices !== undefined && { choices }),
    ...(value !== undefined && { default: value }),
  };
}

function frontFields(front: Omit<FrontMatter, 'system'>): Readonly<Record<string, unknown>> {
  const {
    description,
    model,
    maxTokens,
    params = [],
    variables = [],
    schema,
    argumentHint,
  } = front;
  const tokens = Number(maxTokens?.value);
  return {
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model: model.value }),
    ...(maxTokens !== undefined && {
      'max-tokens': Number.isNaN(tokens) ? maxTokens.value : tokens,
    }),
    ...(params.length > 0 && { params: Object.fromEntries(params.map(({ value }) => value)) }),
    ...(schema !== undefined && { schema: schema.value }),
    ...(argumentHint !== undefined && { 'argument-hint': argumentHint }),
    ...(variables.length > 0 && {
      variables: Object.fromEntries(variables.map((one) => [one.name, variableValue(one)])),
    }),
  };
}

/** Declares the variables that only the text mentions too, because a file that declares some must declare all. */
function allVariables(prompt: PromptFile): readonly Variable[] | undefined {
  const { variables = [] } = prompt.front;
  return variables.length === 0 ? undefined : variablesOf(prompt);
}

/** A prompt file of any format as Markdown with front matter, which sends the same. */
export function promptMarkdown(prompt: PromptFile): string {
  const { front, system } = prompt;
  const numbered = placeholdersOf(partsOf(prompt), 'argument').length > 0;
  const argumentHint = front.argumentHint ?? (numbered ? '[words]' : undefined);
  const takesArguments = argumentHint !== undefined || placesWords(prompt);
  const variables = allVariables(prompt);
  const fields = {
    ...frontFields({
      ...front,
      ...(argumentHint !== undefined && { argumentHint }),
      ...(variables !== undefined && { variables }),
    }),
    ...(system !== undefined && { system: templateText(system, takesArguments) }),
  };
  const body = templateText(prompt.prompt, takesArguments);
  const header = Object.keys(fields).length === 0 ? '' : `---\n${yamlText(fields)}---\n`;
  if (header === '' && !/^(?:---|#!)/.test(body)) return `${body}\n`;
  const start = header === '' ? '---\n---\n' : header;
  return body === '' ? start : `${start}\n${body}\n`;
}
