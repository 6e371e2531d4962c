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
export interface HelpList {
  readonly heading: string;
  readonly rows: readonly HelpRow[];
  /** Whether the help of `-h` has the names of the rows. */
  readonly isInShortHelp?: boolean;
}

const examples = new WeakMap<Command, readonly Example[]>();

/** Sets the examples at the start of a command's help. */
export function setExamples(command: Command, lines: readonly (string | Example)[]): Command {
  const rows = lines.map((line) => (typeof line === 'string' ? { line } : line));
  examples.set(command, rows);
  return command;
}

export function examplesOf(command: Command): readonly Example[] {
  return examples.get(command) ?? [];
}

const lists = new WeakMap<Command, HelpList>();

/** Sets a list for the whole help of a command. */
export function setHelpList(command: Command, list: HelpList): Command {
  lists.set(command, list);
  return command;
}

export function helpListOf(command: Command): HelpList | undefined {
  return lists.get(command);
}

const withoutService = new WeakSet<Command>();

/** Omits the service options from the help of a command that does not use a service. */
export function hideServiceOptions(command: Command): Command {
  withoutService.add(command);
  return command;
}

/** Whether a command uses a service. */
export function takesServiceOptions(command: Command): boolean {
  return !withoutService.has(command);
}

const withoutParent = new WeakSet<Command>();

/** Omits the parent's options from the help of a subcommand with a different purpose. */
export function hideParentOptions(command: Command): Command {
  withoutParent.add(command);
  return command;
}

/** Whether the parent's options are in the help of a command. */
export function takesParentOptions(command: Command): boolean {
  return !withoutParent.has(command);
}

/** Names and aliases of the subcommands. */
export function namesBelow({ commands }: Command): readonly string[] {
  return commands.flatMap((command) => [command.name(), ...command.aliases()]);
}
