import type { Action, Context } from '../run.ts';
import type { Command } from 'commander';

/** A command line as typed in a shell, with or without what it does. */
export interface Example {
  readonly line: string;
  readonly meaning?: string;
}

/** A row of a list in the help. */
export interface HelpRow {
  readonly term: string;
  readonly description: string;
}

/** Rows under a separate heading, which are neither options nor commands. */
interface HelpList {
  readonly heading: string;
  readonly rows: readonly HelpRow[];
  /** Whether the help of `-h` has the names of the rows. */
  readonly isInShortHelp?: boolean;
}

/** What the help of a command has that commander does not know. */
const detailsOf = (
  command: Command & {
    helpDetails?: {
      examples?: readonly Example[];
      list?: HelpList;
      hidesServiceOptions?: boolean;
      hidesParentOptions?: boolean;
    };
  },
) => (command.helpDetails ??= {});

/** Sets the examples at the start of a command's help. */
export function setExamples(command: Command, lines: readonly (string | Example)[]): Command {
  detailsOf(command).examples = lines.map((line) => (typeof line === 'string' ? { line } : line));
  return command;
}

export function examplesOf(command: Command): readonly Example[] {
  return detailsOf(command).examples ?? [];
}

/** Sets a list for the whole help of a command. */
export function setHelpList(command: Command, list: HelpList): Command {
  detailsOf(command).list = list;
  return command;
}

export function helpListOf(command: Command): HelpList | undefined {
  return detailsOf(command).list;
}

/** Omits the service options from the help of a command that does not use a service. */
export function hideServiceOptions(command: Command): Command {
  detailsOf(command).hidesServiceOptions = true;
  return command;
}

/** Whether a command uses a service. */
export function takesServiceOptions(command: Command): boolean {
  return detailsOf(command).hidesServiceOptions !== true;
}

/** Omits the parent's options from the help of a subcommand with a different purpose. */
export function hideParentOptions(command: Command): Command {
  detailsOf(command).hidesParentOptions = true;
  return command;
}

/** The commands above a command, the nearest first. */
export function commandsAbove({ parent }: Command): readonly Command[] {
  return parent === null ? [] : [parent, ...commandsAbove(parent)];
}

/** The commands whose options may be typed: itself and those above; without a command also the default one. */
export function optionSources(command: Command): readonly Command[] {
  const above = commandsAbove(command);
  const others = detailsOf(command).hidesParentOptions === true ? above.slice(1) : above;
  const prompt = command.parent === null ? childNamed(command, 'chat') : undefined;
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
 * Sets what a command does: the function that `load` imports is called with the context, the options and the words.
 * The function decides the types of its options and words; commander knows only their names.
 */
export function setAction(
  command: Command,
  context: Context,
  load: () => Promise<Action<never, never[]>>,
): Command {
  return command.action(async () => {
    const run = await load();
    await run(context, command.optsWithGlobals(), ...(command.processedArgs as never[]));
  });
}
