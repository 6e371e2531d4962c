import { createLineCounter, type Place } from './place.ts';

/**
 * `variable` has a name, `file` and `include` a path; `argument` is a word after the name of the prompt file, by its
 * number from 1, and `arguments` are all of them.
 */
export interface Placeholder {
  readonly kind: 'variable' | 'stdin' | 'file' | 'include' | 'argument' | 'arguments';
  readonly name: string;
  readonly place: Place;
}

export type Part = ReturnType<typeof textPart> | Placeholder;

/** A text with placeholders. */
export type Template = readonly Part[];

/** Names in braces that are not variables. */
export const placeholderNames: readonly string[] = ['stdin', 'file', 'include'];

export const variableName = /^[A-Za-z_][\w-]*$/;

// A backslash before a placeholder makes it text, as in Markdown.
const backslashes = String.raw`(?<slashes>(?<!\\)\\*)`;
const braces = String.raw`\{\{[ \t]*(?:(?<kind>file|include):(?<path>[^{}\n]+)|(?<name>[A-Za-z_][\w-]*)[ \t]*)\}\}`;
const dollars = String.raw`\$ARGUMENTS\b`;
const digits = String.raw`\$(?<digit>[1-9])(?!\d|[.,]\d)`;

const withoutDigits = new RegExp(`${backslashes}(?:${braces}|${dollars})`, 'g');
const withDigits = new RegExp(`${backslashes}(?:${braces}|${dollars}|${digits})`, 'g');

function kindOf(
  { kind, name, digit }: Readonly<Record<string, string | undefined>>,
  takesInput: boolean,
): Placeholder['kind'] {
  if (kind === 'file' || kind === 'include') return kind;
  if (name === 'stdin' || (takesInput && name === 'input')) return 'stdin';
  if (name !== undefined) return 'variable';
  return digit === undefined ? 'arguments' : 'argument';
}

/** Joins neighbouring texts, and leaves out empty ones. */
export function joinTexts(parts: readonly Part[]): Template {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.kind !== 'text') joined.push(part);
    else if (last?.kind === 'text') joined[joined.length - 1] = textPart(last.text + part.text);
    else if (part.text !== '') joined.push(part);
  }
  return joined;
}

export const textPart = (text: string) => ({ kind: 'text', text }) as const;

/** Splits a text at the matches of a pattern. @param read makes the part of a match; `line` is that of the match */
export function splitText(
  text: string,
  firstLine: number,
  pattern: RegExp,
  read: (match: RegExpExecArray, line: number) => readonly Part[],
): Template {
  const lineAt = createLineCounter(text, firstLine);
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(textPart(text.slice(end, match.index)), ...read(match, lineAt(match.index)));
    end = match.index + match[0].length;
  }
  return joinTexts([...parts, textPart(text.slice(end))]);
}

/**
 * Parses a text with placeholders: `{{name}}`, `{{stdin}}`, `{{file:path}}`, `{{include:path}}`, `$ARGUMENTS`.
 * @param place where the text begins
 */
export function parseTemplate(
  text: string,
  { file, line: firstLine }: Place,
  options: {
    /** `$1` to `$9` are placeholders too, as in the command files of coding agents. */
    readonly takesArguments?: boolean;
    /** `{{input}}` is standard input too, as in a pattern of fabric. */
    readonly takesInput?: boolean;
  } = {},
): Template {
  const { takesArguments = false, takesInput = false } = options;
  const pattern = takesArguments ? withDigits : withoutDigits;
  return splitText(text, firstLine, pattern, (match, line) => {
    const { slashes = '', ...groups } = match.groups ?? {};
    const slash = textPart('\\'.repeat(Math.floor(slashes.length / 2)));
    if (slashes.length % 2 === 1) return [slash, textPart(match[0].slice(slashes.length))];
    const name = groups['path']?.trim() ?? groups['name'] ?? groups['digit'] ?? '';
    return [slash, { kind: kindOf(groups, takesInput), name, place: { file, line } }];
  });
}

/**
 * Text in which nothing is a placeholder, for a template.
 * @param isBeforePlaceholder a placeholder follows, so that backslashes at the end would escape it
 */
export function escapePlaceholders(
  text: string,
  takesArguments: boolean,
  isBeforePlaceholder: boolean,
): string {
  const escaped = text.replaceAll(
    takesArguments ? withDigits : withoutDigits,
    (match, slashes: string) => `${slashes}\\${match}`,
  );
  return isBeforePlaceholder ? escaped.replace(/(?<!\\)\\+$/, '$&$&') : escaped;
}

/** The placeholders of a kind, in order. */
export function placeholdersOf(
  template: Template,
  ...kinds: readonly Placeholder['kind'][]
): readonly Placeholder[] {
  return template.filter(
    (part): part is Placeholder => part.kind !== 'text' && kinds.includes(part.kind),
  );
}

/** Replaces the placeholders. Placeholders in the values are not replaced. Includes must have been resolved. */
export function fillTemplate(
  template: Template,
  values: {
    readonly variables: ReadonlyMap<string, string>;
    readonly stdin: string;
    readonly words: readonly string[];
    /** The content for a `file` placeholder. */
    readonly contentOf: (placeholder: Placeholder) => string;
  },
): string {
  const { variables, stdin, words, contentOf } = values;
  const texts = template.map((part) => {
    if (part.kind === 'text') return part.text;
    if (part.kind === 'variable') return variables.get(part.name) ?? '';
    if (part.kind === 'stdin') return stdin;
    if (part.kind === 'arguments') return words.join(' ');
    if (part.kind === 'argument') return words[Number(part.name) - 1] ?? '';
    return part.kind === 'file' ? contentOf(part) : '';
  });
  return texts.join('');
}
