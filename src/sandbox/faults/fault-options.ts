import { parseFault, type WrittenField } from './parse-fault.ts';
import { faultFieldRows, type Fault, type FaultField } from './fault-fields.ts';

export interface FaultOption {
  /** In commander's syntax: `--status <code>`, `--cut [fin|rst|end]`, `--no-done`. */
  readonly flags: string;
  readonly summary: string;
  readonly name: string;
  readonly repeatable: boolean;
}

/** What the option does, its words if the placeholder does not list them, and its value if none is typed. */
function describeField({ summary, placeholder, expects, bare }: FaultField<unknown>): string {
  if (placeholder === undefined) return summary;
  const words = placeholder.includes('|') ? undefined : /^one of (.*)$/.exec(expects)?.[1];
  const listed = words === undefined ? '' : `: ${words}`;
  return `${summary}${listed}${bare === undefined ? '' : ` (without a value: ${bare})`}`;
}

export const faultOptions: readonly FaultOption[] = faultFieldRows.map(([name, field]) => {
  const { placeholder, bare, repeatable = false } = field;
  const value = bare === undefined ? ` <${placeholder}>` : ` [${placeholder}]`;
  return {
    name,
    flags: `--${name}${placeholder === undefined ? '' : value}`,
    summary: describeField(field),
    repeatable,
  };
});

function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Commander stores `--no-done` as `done: false`. */
function isNegated(options: Readonly<Record<string, unknown>>, name: string): boolean {
  return name.startsWith('no-') && options[camelCase(name.slice('no-'.length))] === false;
}

function writtenFields(name: string, value: unknown): readonly WrittenField[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [[name, undefined]];
  const texts = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  return texts.map((text) => [name, String(text)]);
}

/**
 * Parses the values of {@link faultOptions}: text, `true` for an option without a value, a list for a repeated one,
 * `false` under the rest of the name for a `--no-…` option. Other names are ignored.
 * @throws Failure `usage`
 */
export function faultFromOptions(options: Readonly<Record<string, unknown>>): Fault {
  return parseFault(
    faultFieldRows.flatMap(([name]) => {
      return writtenFields(name, isNegated(options, name) ? true : options[camelCase(name)]);
    }),
  );
}
