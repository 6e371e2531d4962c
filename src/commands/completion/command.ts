import { Argument, Command } from 'commander';
import type { Context } from '../../run.ts';
import { hideServiceOptions, setExamples } from '../program/help-details.ts';
import type { Shell } from './scripts.ts';

const shells: readonly Shell[] = ['bash', 'zsh', 'fish', 'powershell'];

export function buildCompletion(context: Context): Command {
  const command = new Command('completion')
    .addArgument(new Argument('<shell>', 'bash, zsh, fish or powershell').choices(shells))
    .description(
      'Prints a completion script for commands, options, models, profiles, conversations, and prompt files with their variables. Install it once with the line for your shell below; updates of natter need no reinstall. In PowerShell, add the line to $PROFILE.',
    );
  hideServiceOptions(command);
  setExamples(command, [
    'natter completion bash >> ~/.bashrc',
    'natter completion zsh >> ~/.zshrc',
    'natter completion fish > ~/.config/fish/completions/natter.fish',
    'natter completion powershell | Out-String | Invoke-Expression',
  ]);
  return command.action(async (shell: Shell) => {
    const { completionScript } = await import('./scripts.ts');
    await context.streams.stdout.write(completionScript(shell));
  });
}
