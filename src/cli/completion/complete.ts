import type { Argument, Command, Option } from 'commander';
import type { Context } from '../../run.ts';
import type { FolderFacts } from '../../settings/folders.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { serviceGroup } from '../global-options.ts';
import { childNamed, takesParentOptions, takesServiceOptions } from '../help-details.ts';
import {
  type Candidate,
  candidatesFor,
  commandCandidates,
  type CompletionRequest,
  files,
  variableCandidates,
} from './values.ts';

/** The state after a word of the line. */
interface Walk {
  readonly command: Command;
  readonly operands: readonly string[];
  /** The option whose value the next word is. */
  readonly awaiting: Option | undefined;
  /** `--lang` of a prompt file: the next word may be its value. */
  readonly variable: string | undefined;
  /** After `--`. */
  readonly ended: boolean;
}

const nameOf = ({ long, short }: Option): string => long ?? short ?? '';

/** The default command, if no command is named. */
const promptCommand = ({ command }: Walk): Command | undefined =>
  command.parent === null ? childNamed(command, 'chat') : undefined;

/** A command and those whose options it takes, too. */
function withParents(command: Command): readonly Command[] {
  const above: Command[] = [];
  for (let { parent } = command; parent !== null; { parent } = parent) above.push(parent);
  return [command, ...(takesParentOptions(command) ? above : above.slice(1))];
}

function optionsAt(walk: Walk): readonly Option[] {
  const prompt = promptCommand(walk);
  const sources = [...(prompt === undefined ? [] : [prompt]), ...withParents(walk.command)];
  const help = walk.command.createHelp();
  const found = new Map<string, Option>();
  for (const option of sources.flatMap((one) => help.visibleOptions(one))) {
    const isOfService = option.helpGroupHeading === serviceGroup;
    const isValid = takesServiceOptions(walk.command) || !isOfService;
    if (isValid && !found.has(nameOf(option))) found.set(nameOf(option), option);
  }
  return [...found.values()];
}

const findOption = (walk: Walk, word: string): Option | undefined =>
  optionsAt(walk).find(({ long, short }) => word === long || word === short);

function afterOption(walk: Walk, word: string): Walk {
  const option = findOption(walk, word);
  const isVariable = walk.command.name() === 'run' && walk.operands.length > 0;
  if (option === undefined && isVariable && !word.includes('=')) {
    return { ...walk, variable: word };
  }
  const takesValue = option?.required === true || option?.optional === true;
  return takesValue ? { ...walk, awaiting: option } : walk;
}

function afterOperand(walk: Walk, word: string): Walk {
  const { command, operands } = walk;
  const child = childNamed(command, word);
  if (child !== undefined && operands.length === 0) return { ...walk, command: child };
  return { ...walk, command: promptCommand(walk) ?? command, operands: [...operands, word] };
}

function step(walk: Walk, word: string): Walk {
  const { awaiting, variable, ended } = walk;
  if (variable !== undefined && !word.startsWith('-')) return { ...walk, variable: undefined };
  if (awaiting !== undefined && (awaiting.required || !word.startsWith('-'))) {
    return { ...walk, awaiting: undefined };
  }
  const rest = { ...walk, awaiting: undefined, variable: undefined };
  if (ended) return afterOperand(rest, word);
  if (word === '--') return { ...rest, ended: true };
  return word.startsWith('-') && word !== '-' ? afterOption(rest, word) : afterOperand(rest, word);
}

/** The argument after `count` operands. */
function argumentAt(command: Command, count: number): Argument | undefined {
  const { registeredArguments: known } = command;
  const last = known.at(-1);
  return known[count] ?? (last?.variadic === true ? last : undefined);
}

/** The options of a command; of `natter run`, also the variables of its prompt file. */
async function optionCandidates(context: FolderFacts, walk: Walk): Promise<readonly Candidate[]> {
  const named = optionsAt(walk).map((option) => ({
    value: nameOf(option),
    description: option.description,
  }));
  const [promptFile] = walk.operands;
  if (walk.command.name() !== 'run' || promptFile === undefined) return named;
  return [...(await variableCandidates(context, promptFile)), ...named];
}

/** The choices of a variable of the prompt file. */
async function variableValues(
  context: FolderFacts,
  { operands: [promptFile = ''] }: Walk,
  variable: string,
): Promise<readonly Candidate[]> {
  const start = `${variable}=`;
  return (await variableCandidates(context, promptFile))
    .filter(({ value }) => value.startsWith(start) && value !== start)
    .map((candidate) => ({ ...candidate, value: candidate.value.slice(start.length) }));
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
  const start: Walk = {
    command: program,
    operands: [],
    awaiting: undefined,
    variable: undefined,
    ended: false,
  };
  const walk = words.reduce(step, start);
  const { command, operands, awaiting, variable, ended } = walk;
  const isOption = !ended && current.startsWith('-');
  const ofOption = { context, command: program, typed: current, before: [] };
  if (awaiting !== undefined && (awaiting.required || !isOption)) {
    return optionValues(ofOption, awaiting, '');
  }
  if (isOption) {
    const name = /^(?<name>--[^=]+)=/.exec(current)?.groups?.['name'];
    const assigned = name === undefined ? undefined : findOption(walk, name);
    return assigned === undefined
      ? optionCandidates(context, walk)
      : optionValues(ofOption, assigned, `${name}=`);
  }
  if (variable !== undefined) return variableValues(context, walk, variable);
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
