import { stringify } from 'yaml';
import { definedFields } from '../json.ts';
import { placesWords, type PromptFile, usesOf, type Variable, variablesOf } from './prompt-file.ts';
import { escapePlaceholders, type Part, type Template } from './template.ts';

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
  return definedFields({ description, choices, default: value });
}

/** A prompt file of any format as Markdown with front matter, which sends the same. */
export function promptMarkdown(prompt: PromptFile): string {
  const { front, system } = prompt;
  const { description, model, maxTokens, params = [], variables = [], schema } = front;
  const isNumbered = usesOf(prompt, 'argument').length > 0;
  const argumentHint = front.argumentHint ?? (isNumbered ? '[words]' : undefined);
  const takesArguments = argumentHint !== undefined || placesWords(prompt);
  const tokens = Number(maxTokens?.value);
  // Variables that only the text mentions too, because a file that declares some must declare all.
  const declared = variables.length === 0 ? [] : variablesOf(prompt);
  const values = declared.map((one) => [one.name, variableValue(one)]);
  const fields = definedFields({
    description,
    model: model?.value,
    'max-tokens': Number.isNaN(tokens) ? maxTokens?.value : tokens,
    params: params.length > 0 ? Object.fromEntries(params.map(({ value }) => value)) : undefined,
    schema: schema?.value,
    'argument-hint': argumentHint,
    variables: values.length > 0 ? (Object.fromEntries(values) as object) : undefined,
    system: system && templateText(system, takesArguments),
  });
  const body = templateText(prompt.prompt, takesArguments);
  const header = Object.keys(fields).length === 0 ? '' : `---\n${yamlText(fields)}---\n`;
  if (header === '' && !/^(?:---|#!)/.test(body)) return `${body}\n`;
  const start = header === '' ? '---\n---\n' : header;
  return body === '' ? start : `${start}\n${body}\n`;
}
