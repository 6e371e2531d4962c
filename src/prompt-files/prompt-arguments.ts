import { parseArgs } from 'node:util';
import { Failure } from '../failure.ts';
import { nearlyNamed } from '../near-name.ts';
import { failureAt } from './place.ts';
import { placesWords, type PromptFile, usesOf, type Variable, variablesOf } from './prompt-file.ts';
import { variableName } from './template.ts';

/** `--lang=ts`, as an example of how to set it. */
const exampleOf = ({ name, choices }: Variable) => `--${name}=${choices?.[0] ?? 'TEXT'}`;

/**
 * @param option as it is typed, without its value
 * @throws Failure `usage` for an option that is no known variable, and for a value that is not among the choices
 */
function readValue(
  { file }: PromptFile,
  known: readonly Variable[],
  option: string,
  value: string | undefined,
): readonly [name: string, value: string] {
  const name = option.slice(2);
  if (!option.startsWith('--') || !variableName.test(name)) {
    throw new Failure('usage', `unknown option '${option}'`, {
      hint: 'see ‹natter run --help›; a variable is --name value; put text that starts with a dash after --',
    });
  }
  const variable = known.find((one) => one.name === name);
  const names = known.map((one) => one.name);
  if (variable === undefined) throw unknownVariable(file.name, name, names);
  if (value === undefined) {
    throw failureAt(variable.place, `--${name} needs a value`, { hint: exampleOf(variable) });
  }
  const { choices, place } = variable;
  if (choices?.includes(value) === false) {
    throw failureAt(place, `${name} must be one of ${choices.join(', ')}, not "${value}"`, {
      hint: exampleOf(variable),
    });
  }
  return [name, value];
}

/** Refuses a value for a variable that a prompt file does not have. @param title of the file */
export function unknownVariable(title: string, name: string, names: readonly string[]): Failure {
  const near = nearlyNamed(name, names);
  const known =
    names.length === 0 ? 'it has no variables' : `its variables are ${names.join(', ')}`;
  const hint = near === undefined ? known : `did you mean --${near}?`;
  return new Failure('usage', `${title} has no variable "${name}"`, { hint });
}

/** @throws Failure `usage` at the first use of a variable without a value; the hint sets all of them */
function checkRequired(
  prompt: PromptFile,
  known: readonly Variable[],
  values: ReadonlyMap<string, string>,
): void {
  const uses = usesOf(prompt, 'variable');
  const missing = known.filter(({ name }) => {
    return !values.has(name) && uses.some((use) => use.name === name);
  });
  const [first, ...others] = missing;
  if (first === undefined) return;
  const { place } = uses.find(({ name }) => name === first.name) ?? first;
  const rest = others.map(({ name }) => `, nor has ${name}`).join('');
  const input = missing.some(({ name }) => name === 'input') ? '; standard input is {{stdin}}' : '';
  throw failureAt(place, `the variable ${first.name} has no value${rest}`, {
    hint: `add ${missing.map(exampleOf).join(' ')}${input}`,
  });
}

/** Whether `argument-hint` has the word in brackets, as in `<issue> [priority]`. The first word may never be missing. */
function isOptional(prompt: PromptFile, number: number): boolean {
  const hints = prompt.front.argumentHint?.match(/\[[^\]]*\]|<[^>]*>|\S+/g) ?? [];
  return number > 1 && hints[number - 1]?.startsWith('[') === true;
}

/** Words for `$1`, `$2`: none may be missing that is not optional, and none may be left over. */
function checkWords(prompt: PromptFile, words: readonly string[]): void {
  const numbered = usesOf(prompt, 'argument');
  const missing = numbered.find(
    ({ name }) => Number(name) > words.length && !isOptional(prompt, Number(name)),
  );
  const { argumentHint } = prompt.front;
  const expected = argumentHint === undefined ? '' : `: ${argumentHint}`;
  if (missing !== undefined) {
    throw failureAt(missing.place, `$${missing.name} has no value`, {
      hint: `add words after the name of the prompt file${expected}`,
    });
  }
  const most = Math.max(0, ...numbered.map(({ name }) => Number(name)));
  const takesAll = usesOf(prompt, 'arguments').length > 0;
  if (numbered.length === 0 || takesAll || words.length <= most) return;
  throw new Failure('usage', `${prompt.file.name} uses $1 to $${most}, not ${words.length} words`, {
    hint: 'quote words that belong together',
  });
}

/**
 * Reads what follows the name of a prompt file, such as `--lang=ts 123 high`; words after `--` are text. A single dash,
 * which asks for standard input, is neither. Includes must have been resolved.
 * @throws Failure `usage` for unknown and missing variables, and values that are not among the choices
 */
export function readArguments(prompt: PromptFile, line: readonly string[]) {
  const known = variablesOf(prompt);
  const options = Object.fromEntries(known.map(({ name }) => [name, { type: 'string' as const }]));
  const reading = { args: [...line], options, strict: false, tokens: true } as const;
  const words: string[] = [];
  const given = new Map<string, string>();
  for (const token of parseArgs(reading).tokens) {
    if (token.kind === 'positional' && token.value !== '-') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { index, value, inlineValue = false } = token;
    // Not its raw name: that of `-12` is `-1`.
    const option = (line[index] ?? '').replace(/=.*/s, '');
    // The word after an option is its value, unless it starts with a dash.
    const isValue = inlineValue || value?.startsWith('-') === false;
    given.set(...readValue(prompt, known, option, isValue ? value : undefined));
  }
  const defaults = known.flatMap(({ name, default: value }) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const variables = new Map([...defaults, ...given]);
  checkRequired(prompt, known, variables);
  if (placesWords(prompt)) checkWords(prompt, words);
  return { variables, words };
}
