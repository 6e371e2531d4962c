import { Failure } from '../../failure.ts';
import {
  type Fault,
  type FaultField,
  type FaultFieldName,
  faultFields,
  replySummaries,
} from './fault-fields.ts';

/** A field as written; without text, only its name was. */
export type WrittenField = readonly [name: string, text: string | undefined];

/** Words for a field with its value. A status code and the name of a reply are valid words, too. */
export const shorthands: ReadonlyMap<string, string> = new Map([
  ['fin', 'cut=fin'],
  ['rst', 'cut=rst'],
  ['reset', 'cut=rst'],
  ['gzip', 'encoding=gzip'],
  ['br', 'encoding=br'],
  ['crlf', 'line-ending=crlf'],
  ['cr', 'line-ending=cr'],
  ['utf16', 'split=utf16'],
  ['bytes', 'split=bytes'],
  ['slow', 'rate=10'],
]);

function findField(name: string): FaultField | undefined {
  const word = name.toLowerCase();
  return faultFields.find((field) => field.name === word || field.aliases.includes(word));
}

/** Expands a status, a reply or a shorthand. `tokens` and `code` are also fields, but those need a value. */
function expand([name, text]: WrittenField): WrittenField {
  const field = findField(name);
  const word = name.toLowerCase();
  if (text !== undefined || field?.bare !== undefined) return [name, text];
  if (Object.hasOwn(replySummaries, word)) return ['reply', word];
  if (field !== undefined) return [name, text];
  if (/^[2-5]\d\d$/.test(word)) return ['status', word];
  const [known = name, value] = shorthands.get(word)?.split('=') ?? [];
  return [known, value];
}

/** @throws Failure `usage` with the field and its valid values */
export function parseFault(written: Iterable<WrittenField>): Fault {
  const fault: Partial<Record<FaultFieldName, unknown>> = {};
  for (const entry of written) {
    const [typedName, text] = expand(entry);
    const field = findField(typedName);
    if (field === undefined) {
      const hint = 'the prompt "[sandbox help]" lists the fields';
      throw new Failure('usage', `there is no field "${typedName}"`, { hint });
    }
    const { name, expects, bare } = field;
    const typed = text ?? bare;
    if (typed === undefined) {
      throw new Failure('usage', `${name} needs a value: it takes ${expects}`);
    }
    const value = field.parse(typed);
    if (value === undefined) throw new Failure('usage', `${name} takes ${expects}, not "${typed}"`);
    fault[name] = name === 'headers' ? Object.assign({}, fault.headers, value) : value;
  }
  // Each value is from the parser of its field.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return fault as Fault;
}

/** Describes what a field does, with the value if only its name is written; `mark` goes around that value. */
const described = ({ summary, placeholder, bare }: FaultField, mark = '') =>
  placeholder === '' || bare === undefined
    ? summary
    : `${summary} (without a value: ${mark}${bare}${mark})`;

/** Describes a field for the reference, with its other names. */
export function describeField(field: FaultField): string {
  const others = field.aliases.map((alias) => `\`${alias}\``).join(', ');
  return `${described(field, '`')}${others === '' ? '' : `; also ${others}`}`;
}

/**
 * The options of `natter sandbox`; `flags` is in commander's syntax: `--status <code>`, `--cut [fin|rst|end]`. A summary
 * has the words of the field if its placeholder does not list them.
 */
export const faultOptions = faultFields.map((field) => {
  const { name, summary, placeholder, expects, bare } = field;
  const value = bare === undefined ? ` <${placeholder}>` : ` [${placeholder}]`;
  const words = placeholder.includes('|') ? undefined : /^one of (.*)$/.exec(expects)?.[1];
  const withWords = words === undefined ? summary : `${summary}: ${words}`;
  return {
    name,
    flags: `--${name}${placeholder === '' ? '' : value}`,
    summary: described({ ...field, summary: withWords }),
    repeatable: name === 'headers',
  };
});

function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Parses the values of {@link faultOptions}: text, `true` for an option without a value, a list for a repeated one,
 * `false` under the rest of the name for a `--no-…` option. Other names are ignored.
 * @throws Failure `usage`
 */
export function faultFromOptions(options: Readonly<Record<string, unknown>>): Fault {
  return parseFault(
    faultFields.flatMap(({ name }): readonly WrittenField[] => {
      // Commander stores `--no-done` as `done: false`.
      const isNegated = name.startsWith('no-') && options[camelCase(name.slice(3))] === false;
      const value = isNegated || options[camelCase(name)];
      if (value === undefined || value === false) return [];
      if (value === true) return [[name, undefined]];
      const texts: readonly unknown[] = [value].flat();
      return texts.map((text) => [name, String(text)]);
    }),
  );
}

/** The `[sandbox …]` group at the start of a prompt. */
export interface Directive {
  /** The group as written, with its brackets; `times` is counted for each source. */
  readonly source: string;
  readonly fault: Fault;
  /** The prompt without the group. */
  readonly rest: string;
}

/** The longest group in characters. Groups are kept in memory for `times`. */
const maxGroupLength = 65_536;

const opening = /^\s*\[sandbox(?=[\s\]:])[:]?/i;

/** The summary of the turns before the prompt, which a compacted conversation sends in the same message. */
const summary = /^Summary of the earlier conversation:\n\n<summary>\n[^]*?\n<\/summary>\n\n/;

/** Spaces, the closing bracket, `name=value` with a quoted value, `name=value`, or `name`. */
const token =
  /[\s,]+|(?<end>\])|(?<quoted>[^\s,=\]]+)=(?:"(?<double>(?:[^"\\]|\\.)*)"|'(?<single>[^']*)')|(?<name>[^\s,=\]]+)(?:=(?!["'])(?<value>[^\s\]]*))?/suy;

function unquote(text: string): string {
  try {
    return String(JSON.parse(`"${text.replaceAll('\n', String.raw`\n`)}"`));
  } catch {
    throw new Failure('usage', `"${text}" has an invalid JSON escape`);
  }
}

/**
 * Parses the group at the start of a prompt: fields as `name=value` or `name`, separated by spaces; values may be in
 * single quotes, or in double quotes with JSON escapes. One space after the group belongs to it.
 * A summary of earlier turns before the group is skipped.
 * @returns undefined if the prompt does not begin with a group
 * @throws Failure `usage` for a group without an end, and for unknown or invalid fields
 */
export function parseDirective(prompt: string): Directive | undefined {
  const own = prompt.replace(summary, '');
  const start = opening.exec(own)?.[0].length;
  if (start === undefined) return undefined;
  const fields: WrittenField[] = [];
  const text = own.slice(0, maxGroupLength);
  token.lastIndex = start;
  for (;;) {
    const place = token.lastIndex;
    const groups = token.exec(text)?.groups;
    if (groups === undefined) {
      const rest = JSON.stringify(text.slice(place, place + 20));
      const problem =
        place === text.length
          ? 'the "[sandbox" group has no closing "]"'
          : `cannot parse the "[sandbox" group at ${rest}`;
      throw new Failure('usage', problem);
    }
    const { end, quoted, double, single, name, value } = groups;
    if (end !== undefined) break;
    if (name !== undefined) fields.push([name, value]);
    if (quoted !== undefined) {
      fields.push([quoted, double === undefined ? single : unquote(double)]);
    }
  }
  const end = token.lastIndex;
  return {
    source: own.slice(0, end).trim(),
    fault: parseFault(fields),
    rest: own.slice(end).replace(/^\s/, ''),
  };
}

/** A prompt without its group; unchanged if it has none, or an invalid one. */
export function withoutGroup(prompt: string): string {
  try {
    return parseDirective(prompt)?.rest ?? prompt;
  } catch (error) {
    if (error instanceof Failure) return prompt;
    throw error;
  }
}
