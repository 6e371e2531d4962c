import { Argument, Command, Option } from 'commander';
import type { Shell } from '../completion/scripts.ts';
import type { Context, Action } from '../../run.ts';
import { setExamples } from '../program/help-details.ts';
import type { ShellInitOptions } from './run.ts';

export type RunShellInit = Action<ShellInitOptions, [shell: Shell]>;

const runShellInit: RunShellInit = async (context, options, shell) => {
  if (options.suggest !== true && options.explain === undefined) {
    const { printScript } = await import('./run.ts');
    return printScript(context, options, shell);
  }
  const { printExplanation, printSuggestion } = await import('./suggest-run.ts');
  return options.explain === undefined
    ? printSuggestion(context, options, shell)
    : printExplanation(context, options, shell, options.explain);
};

const shells: readonly Shell[] = ['bash', 'zsh', 'fish', 'powershell'];

export function buildShellInit(context: Context, run: RunShellInit = runShellInit): Command {
  const command = new Command('shell-init')
    .addArgument(new Argument('<shell>', 'bash, zsh, fish or powershell').choices(shells))
    .description(
      'Prints a script for the start file of a shell. A key (Alt-M) turns the text on the command line into a command, which is never run; a second key (Alt-I) explains the last command that failed, from its text and its exit status. Both send only that text, the name of the shell and of the system. A key is written as alt-m, ctrl-g, f4 or "ctrl-x m"; none omits it.',
    )
    .option('--key <key>', 'key for a command, default alt-m [NATTER_SHELL_KEY]')
    .option(
      '--explain-key <key>',
      'key for an explanation, default alt-i [NATTER_SHELL_EXPLAIN_KEY]',
    )
    .addOption(
      new Option(
        '--suggest',
        'print the command for the text on standard input, as the script does',
      ).conflicts('explain'),
    )
    .option('--explain <status>', 'explain why the command on standard input failed');
  command.action((shell: Shell) => run(context, command.optsWithGlobals(), shell));
  return setExamples(command, [
    'natter shell-init bash >> ~/.bashrc',
    'natter shell-init zsh --key ctrl-g --explain-key none >> ~/.zshrc',
    'natter shell-init fish > ~/.config/fish/conf.d/natter.fish',
    'natter shell-init powershell | Out-String | Invoke-Expression',
  ]);
}
