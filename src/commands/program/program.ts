import { Command, CommanderError } from 'commander';
import { buildChat, chatExamples } from '../chat/command.ts';
import { misplacedCommand, routeToChat } from './command-line.ts';
import { commandTable, isNamed, type CommandRow } from './command-table.ts';
import type { Context } from './context.ts';
import { addGlobalOptions } from './global-options.ts';
import { formatHelp, namesBelow, setExamples } from './help-format.ts';
import { misplacedCommandFailure, usageFailure } from './usage-failure.ts';

const helpWidth = 80;

function visit(command: Command, change: (command: Command) => void): void {
  change(command);
  for (const child of command.commands) visit(child, change);
}

/** A command that is not loaded, for the program's help. */
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
 * The command tree. Commands that `words` do not name have only a name and a summary: to load all of them takes longer
 * than most runs.
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
        // Commander writes only the help of a group here; usage errors become failures.
        writeErr: (text) => void context.streams.stdout.write(text),
        outputError: () => undefined,
      });
  });
  return program;
}

/**
 * Runs a command line.
 * @param words the arguments without node and script
 * @throws Failure, or the reason `context.signal` was aborted with
 */
export async function runProgram(context: Context, words: readonly string[]): Promise<void> {
  const program = await buildProgram(context, words);
  const names = new Set(namesBelow(program));
  program.hook('preAction', (_, action) => {
    if (action.name() !== 'chat') return;
    const misplaced = misplacedCommand(words, action.args, names);
    if (misplaced !== undefined) throw misplacedCommandFailure(misplaced);
  });
  try {
    await program.parseAsync(routeToChat(words, names), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
}
