import type { FrontMatter } from './front-matter-keys.ts';
import { partsOf, placesWords, type PromptFile, variablesOf } from './prompt-file.ts';
import { escapePlaceholders, type Part, placeholdersOf, type Template } from './template.ts';
import type { Variable } from './variables.ts';

/** Words that YAML 1.1 or 1.2 reads as other values. */
const otherValue = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

const plain = /^\p{L}(?:[\p{L}\p{N} _.,;()/+-]*[\p{L}\p{N}_.;()/+])?$/u;

/** Lines that a block keeps as they are. */
const blockable = /^[^\s\p{C}](?:[^\p{C}\u{2028}\u{2029}]|\n)*\S\n?$/u;

/** As JSON, with the characters escaped that YAML does not allow in a file. */
function quoted(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const isPlain = (text: unknown) =>
  typeof text === 'string' && plain.test(text) && !otherValue.test(text);

function scalarText(value: unknown, indent: string): string {
  if (isPlain(value)) return String(value);
  if (typeof value !== 'string' || !value.includes('\n') || !blockable.test(value)) {
    return quoted(value);
  }
  const [mark, lines] = value.endsWith('\n') ? ['|', value.slice(0, -1)] : ['|-', value];
  return `${mark}\n${lines.replaceAll(/^(?=.)/gm, indent)}`;
}

/** The longest key that YAML reads without a mark before it. */
const longestKey = 1000;

function keyText(key: string, indent: string): string {
  const text = isPlain(key) ? key : quoted(key);
  return text.length > longestKey ? `? ${text}\n${indent}:` : `${text}:`;
}

const isFilled = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** The lines of a list or mapping that is not empty. */
function linesOf(value: object, indent: string): string {
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item: unknown) => {
        const text = isFilled(item) ? linesOf(item, inner).trimStart() : scalarText(item, inner);
        return `${indent}- ${text}`;
      })
    : Object.entries(value).map(([key, member]: [string, unknown]) => {
        const text = isFilled(member)
          ? `\n${linesOf(member, inner)}`
          : ` ${scalarText(member, inner)}`;
        return `${indent}${keyText(key, indent)}${text}`;
      });
  return lines.join('\n');
}

/** A value of JSON as YAML, with long texts in blocks. */
export function yamlText(value: unknown): string {
  return `${isFilled(value) ? linesOf(value, '') : scalarText(value, '  ')}\n`;
}

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
