import { failureAt, type Place, type SourceFile } from './place.ts';
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

function readChoices({ value, line }: YamlEntry, file: SourceFile): readonly string[] {
  if (Array.isArray(value) && value.length > 0 && value.every(isScalarValue)) {
    return value.map(String);
  }
  throw failureAt({ file, line }, 'choices must be a list such as [ts, js]');
}

/** @throws Failure `usage` for a list, a mapping or nothing */
export function readText({ value, line, key }: YamlEntry, file: SourceFile): string {
  if (isScalarValue(value)) return String(value);
  throw failureAt({ file, line }, `${key} must be text`);
}

const fieldNames = 'default, choices and description';

function readField(field: YamlEntry, name: string, file: SourceFile): Partial<Variable> {
  if (field.key === 'description') return { description: readText(field, file) };
  if (field.key === 'default') return { default: readText(field, file) };
  if (field.key === 'choices') return { choices: readChoices(field, file) };
  throw failureAt({ file, line: field.line }, `the variable ${name} cannot have "${field.key}"`, {
    hint: `it can have ${fieldNames}`,
  });
}

function readVariable(entry: YamlEntry, file: SourceFile): Variable {
  const { key: name, value, entries, line } = entry;
  const place = { file, line };
  checkName(name, place);
  if (value === null) return { name, place };
  if (isScalarValue(value)) return { name, place, default: String(value) };
  if (Array.isArray(value)) return { name, place, choices: readChoices(entry, file) };
  const fields = entries.map((field) => readField(field, name, file));
  const variable: Variable = Object.assign({ name, place }, ...fields) as Variable;
  const { default: text, choices } = variable;
  if (text === undefined || choices === undefined || choices.includes(text)) return variable;
  throw failureAt(place, `the default of ${name} is not one of its choices: ${choices.join(', ')}`);
}

/**
 * The declared variables: a mapping of names to a default, to a list of choices or to {@link fieldNames}, or a list of
 * names. A variable without a default is required.
 * @throws Failure `usage`
 */
export function readVariables(entry: YamlEntry, file: SourceFile): readonly Variable[] {
  const { value, entries, line } = entry;
  if (value === null) return [];
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) {
    return value.map((name) => {
      checkName(name, { file, line });
      return { name, place: { file, line } };
    });
  }
  if (typeof value === 'object' && !Array.isArray(value)) {
    return entries.map((variable) => readVariable(variable, file));
  }
  throw failureAt({ file, line }, 'variables must be names with defaults or choices', {
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
