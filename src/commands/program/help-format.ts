import type { Command, Help } from 'commander';
import { topicNames } from './command-table.ts';
import { generalGroup, serviceGroup } from './global-options.ts';

const examples = new WeakMap<Command, readonly string[]>();

/** Sets the examples at the start of a command's help. */
export function setExamples(command: Command, lines: readonly string[]): Command {
  examples.set(command, lines);
  return command;
}

/** Example lines of a command, as typed in a shell. */
export function examplesOf(command: Command): readonly string[] {
  return examples.get(command) ?? [];
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

interface Item {
  readonly group: string;
  readonly term: string;
  readonly description: string;
}

function optionItems(command: Command, help: Help): Item[] {
  return help.visibleOptions(command).map((option) => ({
    group: option.helpGroupHeading ?? generalGroup,
    term: help.optionTerm(option),
    description: option.description,
  }));
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

function ancestors(command: Command): readonly Command[] {
  return command.parent === null ? [] : [command.parent, ...ancestors(command.parent)];
}

/** Names and aliases of the subcommands. */
export function namesBelow({ commands }: Command): readonly string[] {
  return commands.flatMap((command) => [command.name(), ...command.aliases()]);
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

function collectItems(command: Command, help: Help): Item[] {
  const subcommands = help.visibleCommands(command).map((child) => ({
    group: 'Commands:',
    term: commandTerm(child),
    description: child.summary() === '' ? child.description() : child.summary(),
  }));
  const options = describedCommands(command).flatMap((one) => optionItems(one, help));
  const seen = new Set<string>();
  const hidden = takesServiceOptions(command) ? undefined : serviceGroup;
  return [...subcommands, ...options].filter(({ group, term }) => {
    if (group === hidden) return false;
    const key = `${group} ${term}`;
    return !seen.has(key) && seen.add(key).size > 0;
  });
}

/** Help as plain text of at most 80 columns: description, usage, examples, then commands and options by group. */
export function formatHelp(command: Command, help: Help): string {
  const width = help.helpWidth ?? 80;
  const items = collectItems(command, help);
  const sections = [
    help.boxWrap(help.commandDescription(command), width),
    `Usage: ${help.commandUsage(command)}`,
  ];
  const lines = examplesOf(command);
  if (lines.length > 0)
    sections.push(['Examples:', ...lines.map((line) => `  $ ${line}`)].join('\n'));
  const groups = groupItems(items);
  for (const [group, members] of groups) {
    const termWidth = Math.min(28, Math.max(...members.map((item) => item.term.length)));
    const rows = members.map((item) => formatRow(item, termWidth, width, help));
    sections.push([group, ...rows].join('\n'));
  }
  if (command.parent === null) {
    sections.push(
      `Topics: natter help ${topicNames.slice(0, -1).join(', ')} or ${topicNames.at(-1)}`,
    );
  }
  return `${sections.map((section) => section.trimEnd()).join('\n\n')}\n`;
}

function groupItems(items: readonly Item[]): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const members = groups.get(item.group) ?? [];
    groups.set(item.group, [...members, item]);
  }
  return groups;
}

function formatRow(item: Item, termWidth: number, width: number, help: Help): string {
  const indent = termWidth + 4;
  const text = help
    .boxWrap(item.description, width - indent)
    .replaceAll('\n', `\n${' '.repeat(indent)}`);
  const gap =
    item.term.length > termWidth
      ? `\n${' '.repeat(indent)}`
      : ' '.repeat(indent - 2 - item.term.length);
  return `  ${item.term}${gap}${text}`;
}
