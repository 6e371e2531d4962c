import type { Argument, Command, Option } from 'commander';
import { serviceGroup } from './global-options.ts';
import { takesServiceOptions } from './help-format.ts';

/** What the word under the cursor is, as far as the words before it tell. */
export type Place =
  | { readonly kind: 'value'; readonly option: Option; readonly prefix: string }
  | { readonly kind: 'option'; readonly options: readonly Option[] }
  | {
      readonly kind: 'argument';
      readonly command: Command;
      /** Its commands, where one may be named here. */
      readonly commands: readonly Command[];
      /** Undefined where the command takes no further argument. */
      readonly argument: Argument | undefined;
      /** Operands of the command before this one. */
      readonly before: readonly string[];
    };

interface Walk {
  readonly command: Command;
  readonly operands: readonly string[];
  /** The option whose value the next word is. */
  readonly awaiting: Option | undefined;
  /** `--` was there. */
  readonly ended: boolean;
}

const ancestors = (command: Command): readonly Command[] =>
  command.parent === null ? [] : [command.parent, ...ancestors(command.parent)];

/** A prompt is what natter takes where no command is named. */
const promptCommand = (command: Command): Command | undefined =>
  command.parent === null ? command.commands.find((child) => child.name() === 'chat') : undefined;

/** The options that may stand where `command` was named, without the hidden ones. */
function optionsAt(command: Command): readonly Option[] {
  const prompt = promptCommand(command);
  const sources = [...(prompt === undefined ? [] : [prompt]), command, ...ancestors(command)];
  const found = new Map<string, Option>();
  for (const source of sources) {
    for (const option of source.createHelp().visibleOptions(source)) {
      const hidden = option.helpGroupHeading === serviceGroup && !takesServiceOptions(command);
      const name = option.long ?? option.flags;
      if (!hidden && !found.has(name)) found.set(name, option);
    }
  }
  return [...found.values()];
}

function findOption(command: Command, word: string): Option | undefined {
  return optionsAt(command).find(({ long, short }) => word === long || word === short);
}

function afterOption(walk: Walk, word: string): Walk {
  const option = findOption(walk.command, word);
  const takesValue = option?.required === true || option?.optional === true;
  return takesValue ? { ...walk, awaiting: option } : walk;
}

function afterOperand(walk: Walk, word: string): Walk {
  const { command, operands } = walk;
  const child = command.commands.find(
    (candidate) => candidate.name() === word || candidate.aliases().includes(word),
  );
  if (child !== undefined && operands.length === 0) return { ...walk, command: child };
  return { ...walk, command: promptCommand(command) ?? command, operands: [...operands, word] };
}

function step(walk: Walk, word: string): Walk {
  const { awaiting, ended } = walk;
  if (awaiting !== undefined && (awaiting.required || !word.startsWith('-'))) {
    return { ...walk, awaiting: undefined };
  }
  const rest = { ...walk, awaiting: undefined };
  if (ended) return afterOperand(rest, word);
  if (word === '--') return { ...rest, ended: true };
  return word.startsWith('-') && word !== '-' ? afterOption(rest, word) : afterOperand(rest, word);
}

/**
 * Finds what is to be completed.
 * @param words the words between `natter` and the one under the cursor
 * @param current what is typed of that one
 */
export function findPlace(program: Command, words: readonly string[], current: string): Place {
  const start: Walk = { command: program, operands: [], awaiting: undefined, ended: false };
  const { command, operands, awaiting, ended } = words.reduce(step, start);
  const isOption = !ended && current.startsWith('-');
  if (awaiting !== undefined && (awaiting.required || !isOption)) {
    return { kind: 'value', option: awaiting, prefix: '' };
  }
  const name = /^(?<name>--[^=]+)=/.exec(current)?.groups?.['name'];
  const assigned = isOption && name !== undefined ? findOption(command, name) : undefined;
  if (assigned !== undefined) return { kind: 'value', option: assigned, prefix: `${name}=` };
  if (isOption) return { kind: 'option', options: optionsAt(command) };
  const commands =
    operands.length === 0 && !ended ? command.createHelp().visibleCommands(command) : [];
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument =
    registeredArguments[operands.length] ?? (last?.variadic === true ? last : undefined);
  return { kind: 'argument', command, commands, argument, before: operands };
}
