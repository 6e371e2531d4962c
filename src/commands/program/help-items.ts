import type { Command, Help } from 'commander';
import { generalGroup, serviceGroup } from './global-options.ts';
import { takesParentOptions, type Example, type HelpRow } from './help-details.ts';

/** A row of the help, and the heading it belongs to. */
export interface HelpItem extends HelpRow {
  readonly group: string;
}

const ownGroup = 'Options:';

/** A command's own options, by group; `--help` and the options of natter itself are general. */
export function ownOptions(command: Command, help: Help): readonly HelpItem[] {
  return help.visibleOptions(command).map((option) => {
    const isGeneral = command.parent === null || option.long === '--help';
    const group = option.helpGroupHeading ?? (isGeneral ? generalGroup : ownGroup);
    return { group, term: help.optionTerm(option), description: option.description };
  });
}

function ancestors(command: Command): readonly Command[] {
  return command.parent === null ? [] : [command.parent, ...ancestors(command.parent)];
}

/** The commands whose options are in the help: for the program also the default command, which most people use. */
function describedCommands(command: Command): readonly Command[] {
  if (command.parent !== null) {
    const above = ancestors(command);
    return [command, ...(takesParentOptions(command) ? above : above.slice(1))];
  }
  const defaultCommand = command.commands.find((child) => child.name() === 'chat');
  return defaultCommand === undefined ? [command] : [defaultCommand, command];
}

/** `get <model>`, `[chat] [prompt...]`: name and arguments; the name of the default command is optional. */
function commandTerm(command: Command): string {
  const isDefault = command.parent?.parent === null && command.name() === 'chat';
  const name = isDefault ? `[${command.name()}]` : command.name();
  const words = command.registeredArguments.map((argument) => {
    const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${text}>` : `[${text}]`;
  });
  return [name, ...words].join(' ');
}

/** The subcommands with their summaries. */
export function subcommandRows(command: Command, help: Help): readonly HelpRow[] {
  return help.visibleCommands(command).map((child) => ({
    term: commandTerm(child),
    description: child.summary() === '' ? child.description() : child.summary(),
  }));
}

/** The arguments that have a description. */
export function argumentRows({ registeredArguments }: Command): readonly HelpRow[] {
  return registeredArguments
    .filter(({ description }) => description !== '')
    .map((argument) => ({ term: argument.name(), description: argument.description }));
}

/** The options in the whole help, by heading; the service options only in the help of natter itself. */
export function optionGroups(
  command: Command,
  help: Help,
): ReadonlyMap<string, readonly HelpRow[]> {
  const groups = new Map<string, HelpRow[]>();
  const seen = new Set<string>();
  for (const { group, ...row } of describedCommands(command).flatMap((one) =>
    ownOptions(one, help),
  )) {
    const key = `${group} ${row.term}`;
    if (seen.has(key) || (group === serviceGroup && command.parent !== null)) continue;
    seen.add(key);
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  // The options of the command come before those of natter; --help counts as natter's, although each command declares it.
  const general = groups.get(generalGroup);
  if (general === undefined || command.parent === null) return groups;
  groups.delete(generalGroup);
  return groups.set(generalGroup, general);
}

/** The options of every command that uses a service. */
export function serviceRows(program: Command, help: Help): readonly HelpRow[] {
  return ownOptions(program, help).filter(({ group }) => group === serviceGroup);
}

/** The rows of examples, with what they do in a second column. */
export function exampleLines(examples: readonly Example[]): readonly string[] {
  const width = Math.max(0, ...examples.map(({ line }) => line.length));
  return examples.map(({ line, meaning }) =>
    meaning === undefined ? `  $ ${line}` : `  $ ${line.padEnd(width)}  ${meaning}`,
  );
}
