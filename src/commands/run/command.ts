import { inputOptions } from '../../cli/prompt-options.ts';
import { Command } from 'commander';
import { promptGroups } from '../chat/command.ts';
import type { ChatOptions } from '../chat/chat-run.ts';
import { addOptionGroups } from '../../cli/global-options.ts';
import type { Context, Action } from '../../run.ts';
import { setExamples } from '../../cli/help-details.ts';

export type RunPromptFile = Action<ChatOptions, [name: string, line: readonly string[]]>;

const runPromptFile: RunPromptFile = async (...words) => {
  const { runPrompt } = await import('./run.ts');
  await runPrompt(...words);
};

export function buildRun(context: Context, run: RunPromptFile = runPromptFile): Command {
  const command = new Command('run')
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
  return command.action((name: string) =>
    run(context, command.optsWithGlobals(), name, command.args.slice(1)),
  );
}
