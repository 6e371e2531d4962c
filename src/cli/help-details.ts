import type { Action } from '../run.ts';
import type { Command } from 'commander';

/** A row of a list in the help. */
export interface HelpRow {
  readonly term: string;
  readonly description: string;
}

/** What the help of a command has that commander does not know. */
interface HelpDetails {
  /** Command lines as typed in a shell; a comment says what one does. */
  examples: readonly string[];
  /** Rows under a separate heading, which are neither options nor commands. */
  list?: {
    readonly heading: string;
    readonly rows: readonly HelpRow[];
    /** Whether the help of `-h` has the names of the rows. */
    readonly isInShortHelp?: boolean;
  };
  /** Set for a command that does not use a service. */
  hidesServiceOptions: boolean;
  /** Set for a subcommand with a different purpose than the command above. */
  hidesParentOptions: boolean;
  /** Imports what the command does; undefined for a group. */
  load?: () => Promise<Action<never, never[]>>;
}

/** Keeps the details of a command in a field of it. */
export const helpOf = (command: Command & { helpDetails?: HelpDetails }): HelpDetails =>
  (command.helpDetails ??= { examples: [], hidesServiceOptions: false, hidesParentOptions: false });

/** Sets the examples at the start of a command's help. */
export function setExamples(command: Command, lines: readonly string[]): Command {
  helpOf(command).examples = lines;
  return command;
}

/** The commands above a command, the nearest first. */
export function commandsAbove({ parent }: Command): readonly Command[] {
  return parent === null ? [] : [parent, ...commandsAbove(parent)];
}

/** The command as typed: `natter config set`. */
export const pathOf = (command: Command): string =>
  [...commandsAbove(command).toReversed(), command].map((one) => one.name()).join(' ');

/** The default command, which runs if no command is named; undefined below natter itself. */
export const defaultCommand = (command: Command): Command | undefined =>
  command.parent === null ? childNamed(command, 'chat') : undefined;

/** The commands whose options may be typed: itself and those above; without a command also the default one. */
export function optionSources(command: Command): readonly Command[] {
  const above = commandsAbove(command);
  const others = helpOf(command).hidesParentOptions ? above.slice(1) : above;
  const prompt = defaultCommand(command);
  return [...(prompt === undefined ? [] : [prompt]), command, ...others];
}

/** Names and aliases of the subcommands. */
export function namesBelow({ commands }: Command): readonly string[] {
  return commands.flatMap((command) => [command.name(), ...command.aliases()]);
}

/** The subcommand with this name or alias. */
export function childNamed({ commands }: Command, word: string): Command | undefined {
  return commands.find((child) => child.name() === word || child.aliases().includes(word));
}

/**
 * Sets what a command does: the function that `load` imports is called with the started run and the words. The function
 * decides the types of its options and words; commander knows only their names.
 */
export function setAction(command: Command, load: () => Promise<Action<never, never[]>>): Command {
  helpOf(command).load = load;
  return command;
}
