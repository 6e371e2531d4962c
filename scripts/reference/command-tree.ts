import type { Command } from 'commander';
import type { Context } from '../../src/run.ts';
import { helpOf } from '../../src/cli/help-details.ts';
import { buildProgram } from '../../src/cli/program.ts';

const optionsOf = (command: Command) => command.options.filter((option) => !option.hidden);

export type DescribedOption = ReturnType<typeof optionsOf>[number];

/** `natter config set`; the chat command is `natter`. */
function nameOf(command: Command): string {
  if (command.parent === null) return command.name();
  const own = command.name() === 'chat' ? '' : ` ${command.name()}`;
  return nameOf(command.parent) + own;
}

function describeCommand(command: Command) {
  const name = nameOf(command);
  const usage = command.name() === 'chat' ? '[chat] [options] [prompt...]' : command.usage();
  const words = command.registeredArguments.filter(({ description }) => description !== '');
  return {
    name,
    /** `natter config set [options] <name> <value>` */
    usage: `${name} ${usage}`,
    /** In lower case, without a full stop. */
    summary: command.summary(),
    description: command.description(),
    arguments: words.map((word) => ({ term: word.name(), description: word.description })),
    /** Without the options of every command and `--help`. */
    options: optionsOf(command),
    examples: helpOf(command).examples,
    list: helpOf(command).list,
  };
}

export type DescribedCommand = ReturnType<typeof describeCommand>;

const withChildren = (command: Command): readonly DescribedCommand[] => [
  describeCommand(command),
  ...command.commands.flatMap(withChildren),
];

/** The commands start with the chat command, then follow in the order of the help; the options are those of all. */
export async function describeProgram(version: string) {
  // Help for a pipe has the usual width.
  const streams = { stdout: { isTerminal: false } };
  const program = buildProgram({ version, streams } as Context);
  return {
    version,
    summary: program.description(),
    examples: helpOf(program).examples,
    commands: program.commands.flatMap(withChildren),
    options: optionsOf(program),
  };
}

export type DescribedProgram = Awaited<ReturnType<typeof describeProgram>>;
