import type { FolderFacts } from '../../settings/folders.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import {
  type Candidate,
  childNamed,
  type CompletedArgument,
  type CompletedCommand,
  type CompletedOption,
  withFiles,
} from './tree.ts';
import { candidatesFor, commandCandidates } from './values.ts';
import type { Context } from '../program/context.ts';

/** What the word under the cursor is. */
type Place =
  | { readonly kind: 'value'; readonly option: CompletedOption; readonly prefix: string }
  | { readonly kind: 'variable'; readonly promptFile: string; readonly option: string }
  | {
      readonly kind: 'option';
      readonly options: readonly CompletedOption[];
      readonly command: CompletedCommand;
      /** Operands of the command before this option. */
      readonly before: readonly string[];
    }
  | {
      readonly kind: 'argument';
      readonly command: CompletedCommand;
      /** Its parents, the nearest first. */
      readonly above: readonly CompletedCommand[];
      /** Its subcommands, if one may follow here. */
      readonly commands: readonly CompletedCommand[];
      /** Undefined if the command takes no further argument. */
      readonly argument: CompletedArgument | undefined;
      /** Operands of the command before this one. */
      readonly before: readonly string[];
    };

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

/**
 * @param words the words between `natter` and the one under the cursor
 * @param current the typed part of that one
 */
function findPlace(program: CompletedCommand, words: readonly string[], current: string): Place {
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
  if (awaiting !== undefined && (awaiting.value === 'required' || !isOption)) {
    return { kind: 'value', option: awaiting, prefix: '' };
  }
  const name = /^(?<name>--[^=]+)=/.exec(current)?.groups?.['name'];
  const assigned = isOption && name !== undefined ? findOption(walk, name) : undefined;
  if (assigned !== undefined) return { kind: 'value', option: assigned, prefix: `${name}=` };
  if (isOption) return { kind: 'option', options: optionsAt(walk), command, before: operands };
  const [promptFile = ''] = operands;
  if (variable !== undefined) return { kind: 'variable', promptFile, option: variable };
  const commands = operands.length === 0 && !ended ? command.commands : [];
  const argument = argumentAt(command, operands.length);
  return { kind: 'argument', command, above, commands, argument, before: operands };
}

/** Makes the shell add its own completion of paths. */
const filesLine = ':files\n';

interface Found {
  readonly candidates: readonly Candidate[];
  readonly files?: boolean;
}

/** The options of a command; of `natter run`, also the variables of its prompt file. */
async function optionCandidates(
  context: FolderFacts,
  { options, command, before }: Extract<Place, { readonly kind: 'option' }>,
): Promise<Found> {
  const [promptFile] = command.name === 'run' ? before : [];
  const variables =
    promptFile === undefined
      ? []
      : await (await import('./prompt-files.ts')).variableCandidates(context, promptFile);
  const named = options.map((option) => ({
    value: nameOf(option),
    description: option.description,
  }));
  return { candidates: [...variables, ...named] };
}

/** The choices of a variable. */
async function variableValues(
  context: FolderFacts,
  { promptFile, option }: Extract<Place, { readonly kind: 'variable' }>,
): Promise<Found> {
  const { variableCandidates } = await import('./prompt-files.ts');
  const start = `${option}=`;
  const candidates = (await variableCandidates(context, promptFile))
    .filter(({ value }) => value.startsWith(start) && value !== start)
    .map((candidate) => ({ ...candidate, value: candidate.value.slice(start.length) }));
  return { candidates };
}

async function candidatesAt(
  context: FolderFacts,
  program: CompletedCommand,
  words: readonly string[],
  current: string,
): Promise<Found> {
  const place = findPlace(program, words, current);
  if (place.kind === 'option') return optionCandidates(context, place);
  if (place.kind === 'variable') return variableValues(context, place);
  if (place.kind === 'value') {
    const typed = current.slice(place.prefix.length);
    const request = { context, command: program, above: [], typed, before: [] };
    const found = await candidatesFor(request, nameOf(place.option), place.option.choices);
    const { candidates, files } = withFiles(found);
    const assigned = ({ value, ...rest }: Candidate) => ({ ...rest, value: place.prefix + value });
    return { candidates: candidates.map(assigned), files };
  }
  const { command, above, commands, argument, before } = place;
  const request = { context, command, above, typed: current, before };
  const found = await candidatesFor(request, argument?.name, argument?.choices);
  const { candidates, files } = withFiles(found);
  return { candidates: [...commandCandidates(commands), ...candidates], files };
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
  const { candidates, files = false } = await candidatesAt(context, program, before, current);
  const fitting = candidates.filter(
    ({ value }) => value.startsWith(current) && value === sanitizeLine(value),
  );
  const lines = fitting.map(formatLine).join('');
  await context.streams.stdout.write(files ? lines + filesLine : lines);
}
