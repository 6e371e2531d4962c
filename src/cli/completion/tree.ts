// The command tree as plain data, as completion reads it.
import type { FolderFacts } from '../../settings/folders.ts';
import type { Argument, Command, Option } from 'commander';
import { serviceGroup } from '../global-options.ts';
import type { CompletedArgument, CompletedCommand, CompletedOption } from '../../run.ts';
import { takesParentOptions, takesServiceOptions } from '../help-details.ts';

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

export interface CompletionRequest {
  readonly context: FolderFacts;
  readonly command: CompletedCommand;
  /** Its parents, the nearest first. */
  readonly above: readonly CompletedCommand[];
  /** The typed part of the word. */
  readonly typed: string;
  /** Operands before it. */
  readonly before: readonly string[];
}

export type Source = (
  request: CompletionRequest,
) => readonly Candidate[] | Promise<readonly Candidate[]>;

export const plain = (values: readonly string[]): readonly Candidate[] =>
  values.map((value) => ({ value, description: '' }));

/** Candidates from rows of a table. @param prefix of each value, such as `keys.` */
export const rowCandidates = (
  rows: readonly { readonly name: string; readonly summary: string }[],
  prefix = '',
): readonly Candidate[] =>
  rows.map(({ name, summary }) => ({ value: prefix + name, description: summary }));
