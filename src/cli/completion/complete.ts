import type { FolderFacts } from '../../settings/folders.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import {
  type Candidate,
  childNamed,
  files,
  rowCandidates,
  type CompletionRequest,
} from './tree.ts';
import { candidatesFor } from './values.ts';
import type { CompletedArgument, CompletedCommand, CompletedOption, Context } from '../../run.ts';

/** The state after a word of the line. */
interface Walk {
  readonly command: CompletedCommand;
  readonly above: readonly CompletedCommand[];
  readonly operands: readonly string[];
  /** The option whose value the next word is. */
  readonly awaiting: CompletedOption | undefined;
  /** `--lang` of a prompt file: the next word may be its value. */
  readonly variable: string | undefined;
  /** After `--`. */
  readonly ended: boolean;
}

const nameOf = ({ long, short }: CompletedOption): string => long ?? short ?? '';

/** The default command, if no command is named. */
const promptCommand = ({ command, above }: Walk): CompletedCommand | undefined =>
  above.length === 0 ? command.commands.find(({ name }) => name === 'chat') : undefined;

function optionsAt(walk: Walk): readonly CompletedOption[] {
  const { command, above } = walk;
  const prompt = promptCommand(walk);
  const inherited = command.hidesParentOptions ? above.slice(1) : above;
  const sources = [...(prompt === undefined ? [] : [prompt]), command, ...inherited];
  const found = new Map<string, CompletedOption>();
  for (const option of sources.flatMap(({ options }) => options)) {
    const isValid = command.reachesService || !option.isServiceOption;
    if (isValid && !found.has(nameOf(option))) found.set(nameOf(option), option);
  }
  return [...found.values()];
}

const findOption = (walk: Walk, word: string): CompletedOption | undefined =>
  optionsAt(walk).find(({ long, short }) => word === long || word === short);

function afterOption(walk: Walk, word: string): Walk {
  const option = findOption(walk, word);
  const isVariable = walk.command.name === 'run' && walk.operands.length > 0;
  if (option === undefined && isVariable && !word.includes('=')) {
    return { ...walk, variable: word };
  }
  return option === undefined || option.value === 'none' ? walk : { ...walk, awaiting: option };
}

function afterOperand(walk: Walk, word: string): Walk {
  const { command, above, operands } = walk;
  const child = childNamed(command, word);
  if (child !== undefined && operands.length === 0) {
    return { ...walk, command: child, above: [command, ...above] };
  }
  const prompt = promptCommand(walk);
  const here = prompt === undefined ? {} : { command: prompt, above: [command] };
  return { ...walk, ...here, operands: [...operands, word] };
}

function step(walk: Walk, word: string): Walk {
  const { awaiting, variable, ended } = walk;
  if (variable !== undefined && !word.startsWith('-')) return { ...walk, variable: undefined };
  if (awaiting !== undefined && (awaiting.value === 'required' || !word.startsWith('-'))) {
    return { ...walk, awaiting: undefined };
  }
  const rest = { ...walk, awaiting: undefined, variable: undefined };
  if (ended) return afterOperand(rest, word);
  if (word === '--') return { ...rest, ended: true };
  return word.startsWith('-') && word !== '-' ? afterOption(rest, word) : afterOperand(rest, word);
}

/** The argument after `count` operands. */
function argumentAt(command: CompletedCommand, count: number): CompletedArgument | undefined {
  const last = command.arguments.at(-1);
  return command.arguments[count] ?? (last?.isVariadic === true ? last : undefined);
}

/** The options of a command; of `natter run`, also the variables of its prompt file. */
async function optionCandidates(context: FolderFacts, walk: Walk): Promise<readonly Candidate[]> {
  const named = optionsAt(walk).map((option) => ({
    value: nameOf(option),
    description: option.description,
  }));
  const [promptFile] = walk.operands;
  if (walk.command.name !== 'run' || promptFile === undefined) return named;
  const { variableCandidates } = await import('./stored-values.ts');
  return [...(await variableCandidates(context, promptFile)), ...named];
}

/** The choices of a variable of the prompt file. */
async function variableValues(
  context: FolderFacts,
  { operands: [promptFile = ''] }: Walk,
  variable: string,
): Promise<readonly Candidate[]> {
  const { variableCandidates } = await import('./stored-values.ts');
  const start = `${variable}=`;
  return (await variableCandidates(context, promptFile))
    .filter(({ value }) => value.startsWith(start) && value !== start)
    .map((candidate) => ({ ...candidate, value: candidate.value.slice(start.length) }));
}

/** @param prefix `--model=`, if the value is in the same word */
async function optionValues(
  request: CompletionRequest,
  option: CompletedOption,
  prefix: string,
): Promise<readonly Candidate[]> {
  const typed = request.typed.slice(prefix.length);
  const found = await candidatesFor({ ...request, typed }, nameOf(option), option.choices);
  return found.map((one) => (one === files ? one : { ...one, value: prefix + one.value }));
}

/**
 * @param words the words between `natter` and the one under the cursor
 * @param current the typed part of that one
 */
async function candidatesAt(
  context: FolderFacts,
  program: CompletedCommand,
  words: readonly string[],
  current: string,
): Promise<readonly Candidate[]> {
  const start: Walk = {
    command: program,
    above: [],
    operands: [],
    awaiting: undefined,
    variable: undefined,
    ended: false,
  };
  const walk = words.reduce(step, start);
  const { command, above, operands, awaiting, variable, ended } = walk;
  const isOption = !ended && current.startsWith('-');
  const ofOption = { context, command: program, above: [], typed: current, before: [] };
  if (awaiting !== undefined && (awaiting.value === 'required' || !isOption)) {
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
  const request = { context, command, above, typed: current, before: operands };
  const found = await candidatesFor(request, argument?.name, argument?.choices);
  const commands = operands.length === 0 && !ended ? command.commands : [];
  return [...rowCandidates(commands), ...found];
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
  program: CompletedCommand,
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
