import { Command, CommanderError } from 'commander';
import { buildAuth } from '../commands/auth/command.ts';
import { buildBatch } from '../commands/batch/command.ts';
import { buildChat } from '../commands/chat/command.ts';
import { buildCompare } from '../commands/compare/command.ts';
import { buildCompletion } from '../commands/completion/command.ts';
import { buildConfig } from '../commands/config/command.ts';
import { buildConversations } from '../commands/conversations/command.ts';
import { buildDoctor } from '../commands/doctor/command.ts';
import { buildHelp } from '../commands/help/command.ts';
import { buildLast } from '../commands/last/command.ts';
import { buildModels } from '../commands/models/command.ts';
import { buildPrompts } from '../commands/prompts/command.ts';
import { addVariables, buildRun } from '../commands/run/command.ts';
import { buildSandbox } from '../commands/sandbox/command.ts';
import { buildShellInit } from '../commands/shell-init/command.ts';
import { buildUsage } from '../commands/usage/command.ts';
import {
  hasFlag,
  refuseMisplacedCommand,
  routeToChat,
  withDashes,
  withExtractValues,
} from './command-line.ts';
import { type Context, startRun } from '../run.ts';
import { addGlobalOptions } from './options.ts';
import { helpOf, namesBelow, setExamples } from './help-details.ts';
import { formatHelp, helpWidth, printHelp, formatShortHelp } from './help-format.ts';
import { Failure } from '../failure.ts';
import { usageFailure } from './usage-failure.ts';

function visit(command: Command, change: (command: Command) => void): void {
  change(command);
  for (const child of command.commands) visit(child, change);
}

/** The commands but chat, in the order of the help. */
const builders = [
  buildCompare,
  buildBatch,
  buildRun,
  buildPrompts,
  buildConversations,
  buildLast,
  buildModels,
  buildUsage,
  buildAuth,
  buildConfig,
  buildDoctor,
  buildSandbox,
  buildShellInit,
  buildCompletion,
  buildHelp,
];

/**
 * @param args the whole command line
 * @param print gets help and version
 */
export function buildProgram(
  context: Context,
  args: readonly string[] = [],
  print = (text: string): void => void context.streams.stdout.write(text),
): Command {
  const { stdout } = context.streams;
  const width = stdout.isTerminal ? Math.min(helpWidth, stdout.columns()) : helpWidth;
  const help = {
    helpWidth: width,
    minWidthToWrap: 1,
    formatHelp: hasFlag(args, '-h') && !hasFlag(args, '--help') ? formatShortHelp : formatHelp,
  };
  const program = new Command('natter')
    .description('A terminal chat client for LLMs on OpenAI-compatible servers.')
    .usage('[chat] [prompt...] [options]')
    .version(
      context.version,
      '-V, --version',
      'print the version; with --verbose, also how to update',
    )
    .helpCommand(false);
  setExamples(program, [
    'natter                                  # open a conversation',
    'natter "why is the sky blue?"           # print one answer',
    'natter -c "and at sunset?"              # continue the last conversation',
    'git diff | natter -f notes.md "review"  # append piped input and a file',
    'natter -m nextgen --json "two names"    # choose the model, print JSON',
    'natter --sandbox "hello"                # try it without a service or a key',
  ]);
  addGlobalOptions(program);
  program.addCommand(buildChat(), { isDefault: true });
  for (const build of builders) program.addCommand(build());
  visit(program, (command) => {
    const summary = command.summary();
    // Few commands have more to say than their row in a list.
    if (command.description() === '') {
      command.description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
    }
    const { load } = helpOf(command);
    if (load !== undefined) {
      command.action(async () => {
        const act = await load();
        const run = await startRun(context, command.optsWithGlobals<never>());
        await act(run, ...(command.processedArgs as never[]));
      });
    }
    command
      .exitOverride((error) => {
        throw usageFailure(error, command, args) ?? error;
      })
      .helpOption('-h, --help', 'show help: -h on one screen, --help all of it')
      .helpCommand(false)
      .configureHelp(help)
      .configureOutput({
        writeOut: print,
        // Commander writes only the help of a group here; usage errors become failures.
        writeErr: print,
        outputError: () => undefined,
      });
  });
  return program;
}

/**
 * Runs a command line.
 * @param args the arguments without node and script
 * @throws Failure, or the reason `context.signal` was aborted with
 */
export async function runProgram(context: Context, args: readonly string[]): Promise<void> {
  const help: string[] = [];
  const program = buildProgram(context, args, (text) => void help.push(text));
  const names = new Set(namesBelow(program));
  program.hook('preAction', (_, action) => {
    // Commander takes the rest of `-q0` for a negative number.
    const digits = action.args.find((word) => /^-\d/.test(word) && !args.includes(word));
    if (digits !== undefined) {
      throw new Failure('usage', `unknown option '${digits}'`, {
        hint: 'see ‹natter --help›; put text that starts with a dash after --',
      });
    }
    if (action.name() === 'run') action.args = withDashes(action.args, args);
    if (action.name() === 'chat') refuseMisplacedCommand(args, action.args, names);
  });
  try {
    await program.parseAsync(withExtractValues(routeToChat(args, names)), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const run = program.commands.find((command) => command.name() === 'run');
    const file = run?.args.find((word) => !word.startsWith('-'));
    const isNamed = error.code === 'commander.helpDisplayed' && file !== undefined;
    if (run === undefined || !isNamed) return printHelp(context, help.join(''));
    // The help of `natter run` with a prompt file has its variables.
    await addVariables(context, run, file);
    await printHelp(context, run.helpInformation());
  }
}
