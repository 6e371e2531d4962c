// The command tree as plain data, as completion reads it.
import type { Argument, Command, Option } from 'commander';
import { serviceGroup } from '../program/global-options.ts';
import { takesParentOptions, takesServiceOptions } from '../program/help-details.ts';

export interface CompletedOption {
  /** With its dashes, as `--model`. */
  readonly long?: string | undefined;
  readonly short?: string | undefined;
  readonly description: string;
  /** Whether the word after it is its value; an optional value cannot start with a dash. */
  readonly value: 'none' | 'optional' | 'required';
  readonly choices?: readonly string[] | undefined;
  /** Whether it is about reaching the service. */
  readonly isServiceOption: boolean;
}

export interface CompletedArgument {
  readonly name: string;
  readonly isVariadic: boolean;
  readonly choices?: readonly string[] | undefined;
}

export interface CompletedCommand {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  /** Without those of its parents. */
  readonly options: readonly CompletedOption[];
  readonly arguments: readonly CompletedArgument[];
  readonly commands: readonly CompletedCommand[];
  /** Whether it uses a service. */
  readonly reachesService: boolean;
  /** Whether it does not take the options of its parent. */
  readonly hidesParentOptions: boolean;
}

function valueOf({ required, optional }: Option): CompletedOption['value'] {
  if (required) return 'required';
  return optional ? 'optional' : 'none';
}

function describeOption(option: Option): CompletedOption {
  const { long, short, description, argChoices: choices, helpGroupHeading } = option;
  const isServiceOption = helpGroupHeading === serviceGroup;
  return { long, short, description, value: valueOf(option), choices, isServiceOption };
}

function describeArgument(argument: Argument): CompletedArgument {
  return {
    name: argument.name(),
    isVariadic: argument.variadic,
    choices: argument.argChoices,
  };
}

/** A command and its subcommands, as completion reads them. */
export function completionTree(command: Command): CompletedCommand {
  const help = command.createHelp();
  return {
    name: command.name(),
    aliases: command.aliases(),
    summary: command.summary(),
    options: help.visibleOptions(command).map(describeOption),
    arguments: command.registeredArguments.map(describeArgument),
    commands: help.visibleCommands(command).map(completionTree),
    reachesService: takesServiceOptions(command),
    hidesParentOptions: !takesParentOptions(command),
  };
}

/** The subcommand with this name or alias. */
export function childNamed(
  { commands }: CompletedCommand,
  word: string,
): CompletedCommand | undefined {
  return commands.find(({ name, aliases }) => [name, ...aliases].includes(word));
}

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** Makes the shell add its own completion of paths, alone or after other candidates. */
export const files: Candidate = { value: ':files', description: '' };
