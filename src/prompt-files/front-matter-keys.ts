import { isJsonObject, type JsonObject } from '../json.ts';
import { nearlyNamed } from '../near-name.ts';
import { failureAt, type Place } from './place.ts';
import { placeholderNames, variableName } from './template.ts';
import type { YamlEntry } from './yaml-mapping.ts';

/** A variable as the front matter declares it, or as the text first mentions it. */
export interface Variable {
  readonly name: string;
  readonly place: Place;
  readonly description?: string;
  /** A variable without one is required. */
  readonly default?: string;
  readonly choices?: readonly string[];
}

const isScalarValue = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

function checkName(name: string, place: Place): void {
  if (!variableName.test(name)) {
    throw failureAt(place, `"${name}" is not the name of a variable`, {
      hint: 'a name has letters, digits, - and _, and starts with a letter',
    });
  }
  if (placeholderNames.includes(name)) {
    throw failureAt(place, `{{${name}}} is not a variable`, { hint: 'choose another name' });
  }
}

function readChoices({ value, place }: YamlEntry): readonly string[] {
  if (Array.isArray(value) && value.length > 0 && value.every(isScalarValue)) {
    return value.map(String);
  }
  throw failureAt(place, 'choices must be a list such as [ts, js]');
}

/** @throws Failure `usage` for a list, a mapping or nothing */
function readText({ value, place, key }: YamlEntry): string {
  if (isScalarValue(value)) return String(value);
  throw failureAt(place, `${key} must be text`);
}

function readVariable(entry: YamlEntry): Variable {
  const { key: name, value, entries, place } = entry;
  checkName(name, place);
  if (value === null) return { name, place };
  if (isScalarValue(value)) return { name, place, default: String(value) };
  if (Array.isArray(value)) return { name, place, choices: readChoices(entry) };
  const fields = entries.map((field): readonly [key: string, value: unknown] => {
    const { key } = field;
    if (key === 'description' || key === 'default') return [key, readText(field)];
    if (key === 'choices') return [key, readChoices(field)];
    throw failureAt(field.place, `the variable ${name} cannot have "${key}"`, {
      hint: 'it can have default, choices and description',
    });
  });
  const variable: Variable = { name, place, ...Object.fromEntries(fields) };
  const { default: text, choices } = variable;
  if (text === undefined || choices === undefined || choices.includes(text)) return variable;
  throw failureAt(place, `the default of ${name} is not one of its choices: ${choices.join(', ')}`);
}

/**
 * The declared variables: a mapping of names to a default, to a list of choices or to a description with both, or a list
 * of names. A variable without a default is required.
 * @throws Failure `usage`
 */
function readVariables({ value, entries, place }: YamlEntry): readonly Variable[] {
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) {
    for (const name of value) checkName(name, place);
    return value.map((name) => ({ name, place }));
  }
  if (typeof value === 'object' && !Array.isArray(value)) return entries.map(readVariable);
  throw failureAt(place, 'variables must be names with defaults or choices', {
    hint: 'for example: variables: { lang: [ts, js], tone: friendly }',
  });
}

/** @throws Failure `usage` for a value that is not one of the choices */
export function checkChoice({ name, choices, place }: Variable, value: string): void {
  if (choices === undefined || choices.includes(value)) return;
  throw failureAt(place, `${name} must be one of ${choices.join(', ')}, not "${value}"`, {
    hint: `--${name}=${choices[0]}`,
  });
}

/** `--lang=ts`, as an example of how to set it. */
export const exampleOf = ({ name, choices }: Variable): string =>
  `--${name}=${choices?.[0] ?? 'TEXT'}`;

interface Placed<Value> {
  readonly value: Value;
  readonly place: Place;
}

/** What a front matter sets for its prompt. Values of settings are unchecked text. */
export interface FrontMatter {
  readonly description?: string;
  readonly model?: Placed<string>;
  readonly maxTokens?: Placed<string>;
  /** The place is where the text begins. */
  readonly system?: Placed<string>;
  readonly params?: readonly Placed<readonly [name: string, value: unknown]>[];
  readonly variables?: readonly Variable[];
  /** A JSON Schema, the concise notation, or the path of a file with one of them. Unchecked. */
  readonly schema?: Placed<string | JsonObject>;
  /** What the words after the name are, as in `[issue] [priority]`. */
  readonly argumentHint?: string;
}

/** A number that JSON has, and that JavaScript has not rounded. */
function isExact(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isExact);
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isExact);
  if (typeof value !== 'number') return true;
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

function readParams({ value, entries, place }: YamlEntry): FrontMatter {
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw failureAt(place, 'params must be fields of the request with values', {
      hint: 'for example: params: { temperature: 0.2 }',
    });
  }
  const inexact = entries.find((entry) => !isExact(entry.value));
  if (inexact !== undefined) {
    throw failureAt(inexact.place, `natter cannot send the number in ${inexact.key} unchanged`, {
      hint: 'use at most 15 digits, or put the number in double quotes to send it as text',
    });
  }
  return {
    params: entries.map((entry) => ({ value: [entry.key, entry.value], place: entry.place })),
  };
}

function readSchema({ value, place }: YamlEntry): FrontMatter {
  if (typeof value === 'string' || isJsonObject(value)) return { schema: { value, place } };
  throw failureAt(place, 'schema must be a mapping, or text', {
    hint: 'for example: schema: "[name, age int]" with the quotes, or schema: person.json',
  });
}

/**
 * All that a prompt file can set, from a value that is not empty. Base URL, key, proxy, headers and other settings are
 * not in this table on purpose.
 */
export const frontMatterKeys = new Map<string, (entry: YamlEntry) => FrontMatter>([
  ['description', (entry) => ({ description: readText(entry) })],
  ['model', (entry) => ({ model: { value: readText(entry), place: entry.place } })],
  ['system', (entry) => ({ system: { value: readText(entry), place: entry.textPlace } })],
  ['max-tokens', (entry) => ({ maxTokens: { value: readText(entry), place: entry.place } })],
  ['params', readParams],
  ['variables', (entry) => ({ variables: readVariables(entry) })],
  ['schema', readSchema],
  ['argument-hint', (entry) => ({ argumentHint: readText(entry) })],
]);

/** Keys of other programs, which change nothing in natter. */
const ignoredKeys: ReadonlySet<string> = new Set(
  [
    'name title author date created updated version license layout',
    'tags category categories keywords aliases id globs alwaysApply',
    'allowed-tools tools agent mode subtask context hooks effort color',
    'disable-model-invocation user-invocable when_to_use',
  ].flatMap((names) => names.split(' ')),
);

/** The ignored keys that name tools. */
export const toolKeys: ReadonlySet<string> = new Set(['allowed-tools', 'tools']);

/** Keys that only command files of coding agents have. */
export const agentKeys: ReadonlySet<string> = new Set([
  ...toolKeys,
  'disable-model-invocation',
  'user-invocable',
  'subtask',
]);

/** @throws Failure `usage` for a key that a prompt file may not have, or a bad value */
export function readFrontMatter(entries: readonly YamlEntry[]): FrontMatter {
  const known = [...frontMatterKeys.keys()];
  const found = entries.map((entry): FrontMatter => {
    const { key, value, place } = entry;
    const read = frontMatterKeys.get(key);
    if (read !== undefined) return value === null ? {} : read(entry);
    if (ignoredKeys.has(key)) return {};
    const near = nearlyNamed(key, known);
    throw failureAt(place, `a prompt file cannot set "${key}"`, {
      hint: near === undefined ? `it can set ${known.join(', ')}` : `did you mean ${near}?`,
    });
  });
  return Object.assign({}, ...found) as FrontMatter;
}
