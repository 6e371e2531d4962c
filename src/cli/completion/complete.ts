import type { Argument, Command, Option } from 'commander';
import type { Context } from '../../run.ts';
import type { FolderFacts } from '../../settings/folders.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { serviceGroup } from '../global-options.ts';
import { childNamed, optionSources, takesServiceOptions } from '../help-details.ts';
import {
  type Candidate,
  candidatesFor,
  commandCandidates,
  type CompletionRequest,
  files,
  variableCandidates,
} from './values.ts';

const nameOf = ({ long, short }: Option): string => long ?? short ?? '';

/** The default command, if no command is named. */
const promptCommand = (command: Command): Command | undefined =>
  command.parent === null ? childNamed(command, 'chat') : undefined;

/** The options that may follow. */
function optionsAt(command: Command): readonly Option[] {
  const help = command.createHelp();
  const found = new Map<string, Option>();
  for (const option of optionSources(command).flatMap((one) => help.visibleOptions(one))) {
    const isOfService = option.helpGroupHeading === serviceGroup;
    const isValid = takesServiceOptions(command) || !isOfService;
    if (isValid && !found.has(nameOf(option))) found.set(nameOf(option), option);
  }
  return [...found.values()];
}

const findOption = (command: Command, word: string): Option | undefined =>
  optionsAt(command).find(({ long, short }) => word === long || word === short);

/** What the words before the cursor mean. */
function readWords(program: Command, words: readonly string[]) {
  let command = program;
  const operands: string[] = [];
  /** The option whose value the next word is, or a variable of the prompt file: `--lang`. */
  let awaiting: Option | string | undefined;
  /** After `--`. */
  let ended = false;
  for (const word of words) {
    const isRequired = typeof awaiting === 'object' && awaiting.required;
    const isValue = awaiting !== undefined && (isRequired || !word.startsWith('-'));
    awaiting = undefined;
    if (isValue) continue;
    if (ended || !word.startsWith('-') || word === '-') {
      const child = operands.length === 0 ? childNamed(command, word) : undefined;
      if (child === undefined) operands.push(word);
      command = child ?? promptCommand(command) ?? command;
    } else if (word === '--') ended = true;
    else {
      const option = findOption(command, word);
      const isVariable = command.name() === 'run' && operands.length > 0 && !word.includes('=');
      if (option?.required === true || option?.optional === true) awaiting = option;
      else if (option === undefined && isVariable) awaiting = word;
    }
  }
  return { command, operands, awaiting, ended };
}

/** The argument after `count` operands. */
function argumentAt(command: Command, count: number): Argument | undefined {
  const { registeredArguments: known } = command;
  const last = known.at(-1);
  return known[count] ?? (last?.variadic === true ? last : undefined);
}

/** @param prefix `--model=`, if the value is in the same word */
async function optionValues(
  request: CompletionRequest,
  option: Option,
  prefix: string,
): Promise<readonly Candidate[]> {
  const typed = request.typed.slice(prefix.length);
  const found = await candidatesFor({ ...request, typed }, nameOf(option), option.argChoices);
  return found.map((one) => (one === files ? one : { ...one, value: prefix + one.value }));
}

/**
 * @param words the words between `natter` and the one under the cursor
 * @param current the typed part of that one
 */
async function candidatesAt(
  context: FolderFacts,
  program: Command,
  words: readonly string[],
  current: string,
): Promise<readonly Candidate[]> {
  const { command, operands, awaiting, ended } = readWords(program, words);
  const [promptFile = ''] = operands;
  const isOption = !ended && current.startsWith('-');
  const ofOption = { context, command: program, typed: current, before: [] };
  if (typeof awaiting === 'object' && (awaiting.required || !isOption)) {
    return optionValues(ofOption, awaiting, '');
  }
  if (isOption) {
    const name = /^(?<name>--[^=]+)=/.exec(current)?.groups?.['name'];
    const assigned = name === undefined ? undefined : findOption(command, name);
    if (assigned !== undefined) return optionValues(ofOption, assigned, `${name}=`);
    const takesVariables = command.name() === 'run' && promptFile !== '';
    const variables = takesVariables ? await variableCandidates(context, promptFile) : [];
    const options = optionsAt(command).map((option) => ({
      value: nameOf(option),
      description: option.description,
    }));
    return [...variables, ...options];
  }
  if (typeof awaiting === 'string') {
    const start = `${awaiting}=`;
    return (await variableCandidates(context, promptFile))
      .filter(({ value }) => value.startsWith(start) && value !== start)
      .map((candidate) => ({ ...candidate, value: candidate.value.slice(start.length) }));
  }
  const argument = argumentAt(command, operands.length);
  const request = { context, command, typed: current, before: operands };
  const found = await candidatesFor(request, argument?.name(), argument?.argChoices);
  const commands = operands.length === 0 && !ended ? commandCandidates(command) : [];
  return [...commands, ...found];
}

/** Titles are from prompts and ids from files: the shell must get them as plain text. */
function formatLine({ value, description }: Candidate): string {
  const text = sanitizeLine(description).replaceAll('\t', ' ').trim();
  return text === '' ? `${value}\n` : `${value}\t${text}\n`;
}

/**
 * Prints the candidates for the last word, one a line: the word, a tab and its meaning. A last line `:files` means paths.
 * @param words of the line without natter; the last has `=` before it, because Windows PowerShell drops empty arguments
 */
export async function printCompletions(
  context: Context,
  program: Command,
  words: readonly string[],
): Promise<void> {
  const current = (words.at(-1) ?? '=').replace(/^=/, '');
  const before = words.slice(0, -1);
  const found = await candidatesAt(context, program, before, current);
  const fitting = found.filter(
    (one) =>
      one === files || (one.value.startsWith(current) && one.value === sanitizeLine(one.value)),
  );
  await context.streams.stdout.write(fitting.map(formatLine).join(''));
}
