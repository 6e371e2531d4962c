import { Command, CommanderError, type Option } from 'commander';
import { Failure } from '../../failure.ts';
import { buildChat, chatExamples } from '../chat/command.ts';
import { misplacedCommand, routeToChat } from './command-line.ts';
import { commandTable, isNamed, type CommandRow } from './command-table.ts';
import type { Context } from './context.ts';
import { foreignOptionHint, typedOptionName } from './foreign-options.ts';
import { addGlobalOptions } from './global-options.ts';
import { formatHelp, namesBelow, setExamples } from './help-format.ts';

const helpWidth = 80;

function visit(command: Command, change: (command: Command) => void): void {
  change(command);
  for (const child of command.commands) visit(child, change);
}

/** Stands in the program's help for a command that is not loaded. */
function placeholder({ name, argument }: CommandRow): Command {
  const command = new Command(name);
  return argument === undefined ? command : command.argument(argument);
}

async function commandOf(row: CommandRow, context: Context, isLoaded: boolean): Promise<Command> {
  const command = isLoaded ? (await row.load())(context) : placeholder(row);
  command.summary(row.summary);
  return row.alias === undefined ? command : command.alias(row.alias);
}

/**
 * The command tree. Of the commands that `words` do not name it holds name and summary alone: to load and build
 * the options of all of them takes longer than most runs.
 */
export async function buildProgram(context: Context, words: readonly string[]): Promise<Command> {
  const program = new Command('natter')
    .description('A terminal chat client for the Chat Completion Service.')
    .usage('[chat] [prompt...] [options]')
    .version(
      context.version,
      '-V, --version',
      'print the version; with --verbose, also how to update',
    )
    .helpCommand(false);
  setExamples(program, chatExamples);
  addGlobalOptions(program);
  program.addCommand(buildChat(context), { isDefault: true });
  for (const row of commandTable) {
    program.addCommand(await commandOf(row, context, isNamed(row, words)));
  }
  visit(program, (command) => {
    command
      .exitOverride((error) => {
        throw usageFailure(error, command) ?? error;
      })
      .helpOption('-h, --help', 'show help')
      .helpCommand(false)
      .configureHelp({ helpWidth, formatHelp })
      .configureOutput({
        writeOut: (text) => void context.streams.stdout.write(text),
        // Only the help of a group of commands comes here; mistakes are reported as failures.
        writeErr: (text) => void context.streams.stdout.write(text),
        outputError: () => undefined,
      });
  });
  return program;
}

function commandPath(command: Command): string {
  // The chat command is what natter does without a command's name.
  if (command.parent === null || command.name() === 'chat') return 'natter';
  return `${commandPath(command.parent)} ${command.name()}`;
}

/** Its own, and those of the commands above it. */
function optionsOf({ parent, options }: Command): readonly Option[] {
  return parent === null ? options : [...options, ...optionsOf(parent)];
}

function unknownOption(typed: string, meant: string | undefined, command: Command): Failure {
  const name = typedOptionName(typed);
  const path = commandPath(command);
  const isKnown = optionsOf(command).some(({ long, short }) => name === long || name === short);
  if (isKnown && name !== typed) return new Failure('usage', `option '${name}' takes no value`);
  const foreign = path === 'natter' ? foreignOptionHint(name) : undefined;
  const see = meant === undefined ? 'see' : `did ${meant} See`;
  const hint = foreign ?? `${see} ${path} --help; put text that starts with a dash after --`;
  return new Failure('usage', `unknown option '${name}'`, { hint });
}

/** Commander reports by throwing: help and version are done, the rest is a mistake of the caller's. */
function usageFailure(error: CommanderError, command: Command): Failure | undefined {
  if (error.exitCode === 0 || error.code === 'commander.help') return undefined;
  const unknown = /^error: unknown option '(.+?)'(?:\n\(Did ([^\n]+)\))?$/s.exec(error.message);
  if (unknown?.[1] !== undefined) return unknownOption(unknown[1], unknown[2], command);
  const [text = '', suggestion = ''] = error.message.replace(/^error: /, '').split('\n');
  const message = text
    .replace(/^command-argument value (.+) is invalid for argument '(.+)'/, 'unknown $2 $1')
    .replace(/\. Expected/, ': expected')
    .replace(/\.$/, '');
  const meant = suggestion.replace(/^\(Did (.*)\)$/, 'did $1 See');
  const hint = `${meant === '' ? 'see' : meant} ${commandPath(command)} --help`;
  return new Failure('usage', message, { hint });
}

function misplacedFailure(name: string): Failure {
  return new Failure('usage', `ambiguous: "${name}" is a command name but follows prompt options`, {
    hint: `for the command: natter ${name} …; for a prompt: natter … -- ${name} …`,
  });
}

/**
 * Runs the command that `words` (the arguments without node and script) name.
 * @throws Failure, or the reason `context.signal` was aborted with
 */
export async function runProgram(context: Context, words: readonly string[]): Promise<void> {
  const program = await buildProgram(context, words);
  const names = new Set(namesBelow(program));
  program.hook('preAction', (_, action) => {
    if (action.name() !== 'chat') return;
    const misplaced = misplacedCommand(words, action.args, names);
    if (misplaced !== undefined) throw misplacedFailure(misplaced);
  });
  try {
    await program.parseAsync(routeToChat(words, names), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
}
