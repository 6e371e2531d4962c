import {
  childNamed,
  type CompletedArgument,
  type CompletedCommand,
  type CompletedOption,
} from './tree.ts';

/** What the word under the cursor is, as far as the words before it tell. */
export type Place =
  | { readonly kind: 'value'; readonly option: CompletedOption; readonly prefix: string }
  | { readonly kind: 'option'; readonly options: readonly CompletedOption[] }
  | {
      readonly kind: 'argument';
      readonly command: CompletedCommand;
      /** The commands it belongs to, the nearest first. */
      readonly above: readonly CompletedCommand[];
      /** Its commands, where one may be named here. */
      readonly commands: readonly CompletedCommand[];
      /** Undefined where the command takes no further argument. */
      readonly argument: CompletedArgument | undefined;
      /** Operands of the command before this one. */
      readonly before: readonly string[];
    };

interface Walk {
  readonly command: CompletedCommand;
  readonly above: readonly CompletedCommand[];
  readonly operands: readonly string[];
  /** The option whose value the next word is. */
  readonly awaiting: CompletedOption | undefined;
  /** `--` was there. */
  readonly ended: boolean;
}

/** What an option is called: the dashes and letters to type. */
export const nameOf = ({ long, short }: CompletedOption): string => long ?? short ?? '';

/** A prompt is what natter takes where no command is named. */
const promptCommand = ({ command, above }: Walk): CompletedCommand | undefined =>
  above.length === 0 ? command.commands.find(({ name }) => name === 'chat') : undefined;

/** The options that may stand at this place of the line. */
function optionsAt(walk: Walk): readonly CompletedOption[] {
  const { command, above } = walk;
  const prompt = promptCommand(walk);
  const inherited = command.isApart ? above.slice(1) : above;
  const sources = [...(prompt === undefined ? [] : [prompt]), command, ...inherited];
  const found = new Map<string, CompletedOption>();
  for (const option of sources.flatMap(({ options }) => options)) {
    const isMeant = command.reachesService || !option.isOfService;
    if (isMeant && !found.has(nameOf(option))) found.set(nameOf(option), option);
  }
  return [...found.values()];
}

const findOption = (walk: Walk, word: string): CompletedOption | undefined =>
  optionsAt(walk).find(({ long, short }) => word === long || word === short);

function afterOption(walk: Walk, word: string): Walk {
  const option = findOption(walk, word);
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
  const { awaiting, ended } = walk;
  if (awaiting !== undefined && (awaiting.value === 'required' || !word.startsWith('-'))) {
    return { ...walk, awaiting: undefined };
  }
  const rest = { ...walk, awaiting: undefined };
  if (ended) return afterOperand(rest, word);
  if (word === '--') return { ...rest, ended: true };
  return word.startsWith('-') && word !== '-' ? afterOption(rest, word) : afterOperand(rest, word);
}

/** The argument that comes after so many operands. */
function argumentAt(command: CompletedCommand, count: number): CompletedArgument | undefined {
  const last = command.arguments.at(-1);
  return command.arguments[count] ?? (last?.isVariadic === true ? last : undefined);
}

/**
 * Finds what is to be completed.
 * @param words the words between `natter` and the one under the cursor
 * @param current what is typed of that one
 */
export function findPlace(
  program: CompletedCommand,
  words: readonly string[],
  current: string,
): Place {
  const start: Walk = {
    command: program,
    above: [],
    operands: [],
    awaiting: undefined,
    ended: false,
  };
  const walk = words.reduce(step, start);
  const { command, above, operands, awaiting, ended } = walk;
  const isOption = !ended && current.startsWith('-');
  if (awaiting !== undefined && (awaiting.value === 'required' || !isOption)) {
    return { kind: 'value', option: awaiting, prefix: '' };
  }
  const name = /^(?<name>--[^=]+)=/.exec(current)?.groups?.['name'];
  const assigned = isOption && name !== undefined ? findOption(walk, name) : undefined;
  if (assigned !== undefined) return { kind: 'value', option: assigned, prefix: `${name}=` };
  if (isOption) return { kind: 'option', options: optionsAt(walk) };
  const commands = operands.length === 0 && !ended ? command.commands : [];
  const argument = argumentAt(command, operands.length);
  return { kind: 'argument', command, above, commands, argument, before: operands };
}
