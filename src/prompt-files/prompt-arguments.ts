import { Failure } from '../failure.ts';
import { nearlyNamed } from '../near-name.ts';
import { failureAt, placeText } from './place.ts';
import {
  partsOf,
  type PromptFile,
  placesWords,
  requiredVariables,
  variablesOf,
} from './prompt-file.ts';
import { placeholdersOf } from './template.ts';
import { checkChoice, exampleOf, type Variable } from './front-matter-keys.ts';

const assignment = /^--(?<name>[A-Za-z_][\w-]*)(?:=(?<value>[^]*))?$/;

/** @throws Failure `usage` for a word that sets no known variable, and for a value that is not among the choices */
function readAssignments(
  { file }: PromptFile,
  options: readonly string[],
  known: readonly Variable[],
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const word of options) {
    const { name, value } = assignment.exec(word)?.groups ?? {};
    if (name === undefined) {
      throw new Failure('usage', `unknown option '${word.replace(/=.*/s, '')}'`, {
        hint: 'see ‹natter run --help›; a variable is --name value; put text that starts with a dash after --',
      });
    }
    const variable = known.find((one) => one.name === name);
    if (variable === undefined) {
      const names = known.map((one) => one.name);
      throw unknownVariable(file.name, name, names);
    }
    if (value === undefined) {
      throw failureAt(variable.place, `--${name} needs a value`, { hint: exampleOf(variable) });
    }
    checkChoice(variable, value);
    values.set(name, value);
  }
  return values;
}

/** Refuses a value for a variable that a prompt file does not have. @param title of the file */
export function unknownVariable(title: string, name: string, names: readonly string[]): Failure {
  const near = nearlyNamed(name, names);
  let hint = `its variables are ${names.join(', ')}`;
  if (near !== undefined) hint = `did you mean --${near}?`;
  if (names.length === 0) hint = 'it has no variables';
  return new Failure('usage', `${title} has no variable "${name}"`, { hint });
}

/** @throws Failure `usage` that names the first variable without a value, and how to set all of them */
function checkRequired(prompt: PromptFile, values: ReadonlyMap<string, string>): void {
  const missing = requiredVariables(prompt).filter(({ name }) => !values.has(name));
  const [first, ...others] = missing;
  if (first === undefined) return;
  // A place is named for the first of the variables that have it.
  const rest = others.map(({ name, place }, index) => {
    const [text, before] = [place, missing[index]?.place ?? first.place].map(placeText);
    return `, nor has ${name}${text === before ? '' : ` (${text})`}`;
  });
  throw failureAt(first.place, `the variable ${first.name} has no value${rest.join('')}`, {
    hint:
      `add ${missing.map(exampleOf).join(' ')}` +
      (missing.some(({ name }) => name === 'input') ? '; standard input is {{stdin}}' : ''),
  });
}

/** Words for `$1`, `$2`: none may be missing, and none may be left over. */
function checkWords(prompt: PromptFile, words: readonly string[]): void {
  const parts = partsOf(prompt);
  const numbered = placeholdersOf(parts, 'argument');
  const missing = numbered.find(({ name }) => Number(name) > words.length);
  const { argumentHint } = prompt.front;
  const expected = argumentHint === undefined ? '' : `: ${argumentHint}`;
  if (missing !== undefined) {
    throw failureAt(missing.place, `$${missing.name} has no value`, {
      hint: `add words after the name of the prompt file${expected}`,
    });
  }
  const most = Math.max(0, ...numbered.map(({ name }) => Number(name)));
  const takesAll = placeholdersOf(parts, 'arguments').length > 0;
  if (numbered.length === 0 || takesAll || words.length <= most) return;
  throw new Failure('usage', `${prompt.file.name} uses $1 to $${most}, not ${words.length} words`, {
    hint: 'quote words that belong together',
  });
}

/** Asks for standard input, as after `natter chat`: it is neither text nor a value. */
const inputWord = '-';

const isOption = (word: string) => word.startsWith('-') && word !== inputWord;

/** `--lang ts` as `--lang=ts`, for known variables; the value of a variable cannot start with a dash there. */
function joinValues(words: readonly string[], known: readonly Variable[]): readonly string[] {
  const options = new Set(known.map(({ name }) => `--${name}`));
  const joined: string[] = [];
  for (const word of words) {
    const before = joined.at(-1) ?? '';
    if (options.has(before) && !word.startsWith('-')) joined.splice(-1, 1, `${before}=${word}`);
    else joined.push(word);
  }
  return joined;
}

/**
 * Reads what follows the name of a prompt file, such as `--lang=ts 123 high`; words after `--` are text, and a single dash is neither. Includes must
 * have been resolved.
 * @throws Failure `usage` for unknown and missing variables, and values that are not among the choices
 */
export function readArguments(prompt: PromptFile, line: readonly string[]) {
  const known = variablesOf(prompt);
  const end = line.indexOf('--');
  const [before, text] = end < 0 ? [line, []] : [line.slice(0, end), line.slice(end + 1)];
  const head = joinValues(before, known);
  const plain = head.filter((word) => !isOption(word));
  const bare = plain.find((word) => known.some(({ name }) => word.startsWith(`${name}=`)));
  if (bare !== undefined) {
    const problem = `"${bare}" does not set the variable ${bare.replace(/=.*/s, '')}`;
    throw new Failure('usage', problem, { hint: `write --${bare}` });
  }
  const given = readAssignments(prompt, head.filter(isOption), known);
  const words: readonly string[] = [...plain, ...text].filter((word) => word !== inputWord);
  const defaults = known.flatMap(({ name, default: value }) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const variables = new Map([...defaults, ...given]);
  checkRequired(prompt, variables);
  if (placesWords(prompt)) checkWords(prompt, words);
  return { variables, words };
}
