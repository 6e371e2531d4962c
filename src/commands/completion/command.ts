import { Argument, Command } from 'commander';
import { helpOf, setAction, setExamples } from '../../cli/help-details.ts';

/** The shells with completion and with keys (`natter shell-init`). */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export type Shell = (typeof shells)[number];

export function buildCompletion(): Command {
  const command = new Command('completion')
    .summary('print a shell completion script')
    .addArgument(new Argument('<shell>', 'bash, zsh, fish or powershell').choices(shells))
    .description(
      'Prints a completion script for commands, options, models, profiles, conversations, and prompt files with their variables. Install it once with the line for your shell below; updates of natter need no reinstall. In PowerShell, add the line to $PROFILE.',
    );
  helpOf(command).hidesServiceOptions = true;
  setExamples(command, [
    'natter completion bash >> ~/.bashrc',
    'natter completion zsh >> ~/.zshrc',
    'natter completion fish > ~/.config/fish/completions/natter.fish',
    'natter completion powershell | Out-String | Invoke-Expression',
  ]);
  return setAction(command, async () => (await import('./scripts.ts')).printScript);
}
