import { parseFault, type WrittenField } from './parse-fault.ts';
import { faultFieldRows, type Fault } from './fault-fields.ts';

/** A fault field as an option of a command. */
export interface FaultOption {
  /** As commander takes it: `--status <code>`, `--cut [fin|rst|end]`, `--no-done`. */
  readonly flags: string;
  readonly summary: string;
  readonly name: string;
  readonly repeatable: boolean;
}

/** Every fault field as an option, in the table's order. */
export const faultOptions: readonly FaultOption[] = faultFieldRows.map(([name, field]) => {
  const { placeholder, bare, summary, repeatable = false } = field;
  const value = bare === undefined ? ` <${placeholder}>` : ` [${placeholder}]`;
  return {
    name,
    flags: `--${name}${placeholder === undefined ? '' : value}`,
    summary,
    repeatable,
  };
});

function optionKeys(name: string): readonly string[] {
  const camelCase = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return [camelCase, name];
}

function writtenFields(name: string, value: unknown): readonly WrittenField[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [[name, undefined]];
  const texts = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  return texts.map((text) => [name, String(text)]);
}

/**
 * Reads what a command line gave for {@link faultOptions}: text, `true` for an option without its value, a list
 * for a repeated one; names in kebab or camel case, others ignored.
 * @throws Failure `usage`
 */
export function faultFromOptions(options: Readonly<Record<string, unknown>>): Fault {
  return parseFault(
    faultFieldRows.flatMap(([name]) => {
      const key = optionKeys(name).find((candidate) => Object.hasOwn(options, candidate));
      return key === undefined ? [] : writtenFields(name, options[key]);
    }),
  );
}
