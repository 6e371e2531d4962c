import type { Argument, Command, Option } from 'commander';
import type {
  CompletedArgument,
  CompletedCommand,
  CompletedOption,
} from '../../src/commands/completion/tree.ts';
import { serviceGroup } from '../../src/commands/program/global-options.ts';
import {
  takesParentOptions,
  takesServiceOptions,
} from '../../src/commands/program/help-details.ts';

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
