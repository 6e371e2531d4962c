import { inputOptions, addOptionGroups } from '../../cli/options.ts';
import { Command } from 'commander';
import { promptGroups } from '../chat/command.ts';
import type { ChatOptions } from '../chat/chat-run.ts';
import { type Context, present, type StartedRun } from '../../run.ts';
import { setAction, setExamples, helpOf } from '../../cli/help-details.ts';
import { Failure } from '../../failure.ts';
import { findPrompt } from '../../prompt-files/find-prompt.ts';
import { variableDetails, variablesOf } from '../../prompt-files/prompt-file.ts';
import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { loadPromptFile } from '../../input/load-prompt-file.ts';

/**
 * Adds the variables of a prompt file to the help of `natter run`, those of the files that it includes, too. A file that
 * cannot be used causes a warning.
 */
export async function addVariables(
  context: Context,
  command: Command,
  name: string,
): Promise<void> {
  const { notices } = await present(context, command.optsWithGlobals());
  try {
    const found = findPrompt(context, name);
    const prompt = await loadPromptFile(found, context.signal);
    const rows = variablesOf(prompt).map((variable) => ({
      term: `--${variable.name} <text>`,
      description: sanitizeLine(variableDetails(variable)),
    }));
    const heading = `Variables of ${sanitizeLine(name)}:`;
    helpOf(command).list = { heading, rows, isInShortHelp: rows.length > 0 };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notices.warning(error.message);
  }
}

export function buildRun(): Command {
  const command = new Command('run')
    .summary('send the prompt of a file, with variables')
    .argument('<prompt-file>', 'name of a prompt file (natter prompts), or its path')
    .usage('<prompt-file> [words...] [--name value...] [options]')
    .description(
      'Sends the prompt of a file and prints the answer. The file is Markdown with {{name}} for variables; piped standard input replaces {{stdin}}, or is appended. Options override what the file sets.',
    )
    // The variables of a file look like options, and words may follow its name.
    .allowUnknownOption()
    .allowExcessArguments();
  addOptionGroups(command, promptGroups('', inputOptions()));
  setExamples(command, [
    'git diff | natter run review',
    'natter run review.md --lang=ts < main.ts',
    'natter run commit "mention the issue" -m nextgen',
    'natter run review --dry-run < main.ts',
  ]);
  return setAction(command, async () => {
    const { runPrompt } = await import('./run.ts');
    return (run: StartedRun<ChatOptions>, name: string) => {
      const taken = [command, command.parent].flatMap((one) => one?.options ?? []);
      const names = new Set(taken.map(({ long }) => long));
      return runPrompt(run, name, command.args.slice(1), names);
    };
  });
}
