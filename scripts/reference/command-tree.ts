import type { Command, Option } from 'commander';
import type { Context } from '../../src/commands/program/context.ts';
import {
  examplesOf,
  helpListOf,
  type Example,
  type HelpList,
} from '../../src/commands/program/help-details.ts';
import { commandNames } from '../../src/commands/program/command-names.ts';
import { buildProgram } from '../../src/commands/program/program.ts';

export interface DescribedOption {
  /** `-m, --model <id>` */
  readonly flags: string;
  readonly description: string;
}

export interface DescribedCommand {
  /** `natter config set`; the chat command is `natter`. */
  readonly name: string;
  /** `natter config set [options] <name> <value>` */
  readonly usage: string;
  /** In lower case, without a full stop. */
  readonly summary: string;
  readonly description: string;
  readonly arguments: readonly { readonly term: string; readonly description: string }[];
  /** Without the options of every command and `--help`. */
  readonly options: readonly DescribedOption[];
  readonly examples: readonly string[];
  readonly list: HelpList | undefined;
}

export interface DescribedProgram {
  readonly version: string;
  readonly summary: string;
  readonly examples: readonly Example[];
  /** The chat command first, then the others in the order of the help. */
  readonly commands: readonly DescribedCommand[];
  /** The options that every command accepts. */
  readonly options: readonly DescribedOption[];
}

const describeOption = ({ flags, description }: Option): DescribedOption => ({
  flags,
  description,
});

const optionsOf = (command: Command) =>
  command.options.filter((option) => !option.hidden).map(describeOption);

function nameOf(command: Command): string {
  if (command.parent === null) return command.name();
  const own = command.name() === 'chat' ? '' : ` ${command.name()}`;
  return nameOf(command.parent) + own;
}

function describeCommand(command: Command): DescribedCommand {
  const name = nameOf(command);
  const usage = command.name() === 'chat' ? '[chat] [options] [prompt...]' : command.usage();
  return {
    name,
    usage: `${name} ${usage}`,
    summary: command.summary(),
    description: command.description(),
    arguments: command.registeredArguments.map((argument) => ({
      term: argument.name(),
      description: argument.description,
    })),
    options: optionsOf(command),
    examples: examplesOf(command).map(({ line }) => line),
    list: helpListOf(command),
  };
}

const withChildren = (command: Command): readonly DescribedCommand[] => [
  describeCommand(command),
  ...command.commands.flatMap(withChildren),
];

export async function describeProgram(version: string): Promise<DescribedProgram> {
  const program = buildProgram({ version } as Context, commandNames);
  return {
    version,
    summary: program.description(),
    examples: examplesOf(program),
    commands: program.commands.flatMap(withChildren),
    options: optionsOf(program),
  };
}
