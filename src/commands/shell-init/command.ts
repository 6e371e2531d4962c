import { Argument, Command, Option } from 'commander';
import { shells } from '../completion/command.ts';
import { setAction, setExamples } from '../../cli/help-details.ts';

export function buildShellInit(): Command {
  const command = new Command('shell-init')
    .summary('print keys for a shell: text becomes a command')
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
  setAction(command, async () => (await import('./run.ts')).shellInit);
  return setExamples(command, [
    'natter shell-init bash >> ~/.bashrc',
    'natter shell-init zsh --key ctrl-g --explain-key none >> ~/.zshrc',
    'natter shell-init fish > ~/.config/fish/conf.d/natter.fish',
    'natter shell-init powershell | Out-String | Invoke-Expression',
  ]);
}
