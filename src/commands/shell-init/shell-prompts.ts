import type { Shell } from '../completion/scripts.ts';

const systems: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'macOS',
  linux: 'Linux',
  win32: 'Windows',
};

const names: Readonly<Record<Shell, string>> = {
  bash: 'bash',
  zsh: 'zsh',
  fish: 'fish',
  powershell: 'PowerShell',
};

const placeOf = (shell: Shell, platform: NodeJS.Platform) =>
  `${names[shell]} on ${systems[platform] ?? platform}`;

/** The system prompt for a command; with the line itself it is everything that is sent. */
export function suggestSystem(shell: Shell, platform: NodeJS.Platform): string {
  return `Write one command line for ${placeOf(shell, platform)} that does what the text describes. If the text is a command already, correct or complete it. Reply with the command alone, on one line if possible: no explanation, no Markdown, no code fence.`;
}

/** The system prompt for an explanation. */
export function explainSystem(shell: Shell, platform: NodeJS.Platform): string {
  return `A command failed in ${placeOf(shell, platform)}. Explain the most likely cause in a few sentences, and show the corrected command if there is one. Only the command and its exit status are known, not its output.`;
}

export function explainPrompt(command: string, status: number): string {
  return `Command:\n${command}\n\nExit status: ${status}`;
}
