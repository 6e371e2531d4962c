/** A typed line for the user's shell. */
export interface ShellLine {
  /** Without the marks and the spaces around it; empty if there is only a mark. */
  readonly command: string;
  /** Whether the output is attached to the next prompt. */
  readonly isAttached: boolean;
}

/** Reads `!command`, and `!!command`, which attaches nothing. */
export function readShellLine(text: string): ShellLine {
  const [, marks = '', command = ''] = /^(!{0,2})([^]*)$/.exec(text) ?? [];
  return { command: command.trim(), isAttached: marks.length < 2 };
}

/** The first line of a command, shortened to a number of characters. */
export function commandName(command: string, maxLength = 60): string {
  const [first = '', ...others] = command.split('\n');
  const name = Array.from(first);
  if (name.length > maxLength) return `${name.slice(0, maxLength - 1).join('')}…`;
  return others.length === 0 ? first : `${first} …`;
}

/** With options, they may not use the screen. */
const screenProgram =
  /^(?:(?:sudo|\w+=\S*)\s+)*(vim?|nvim|view|nano|pico|emacs|micro|joe|htop|btop|tmux|screen|mc)(?:\s+[^\s-][^\s;&|]*)*$/;

/** The program of a command that would wait for a terminal; undefined for any other command. */
export function screenProgramOf(command: string): string | undefined {
  return screenProgram.exec(command)?.[1];
}

/** @param stopKeys of running commands */
export const shellExplanation = (stopKeys: string) =>
  [
    '!command runs in your shell, and its output is attached to the next prompt',
    '!!command runs without attaching the output',
    `a command has no terminal and no input; ${stopKeys} ends it`,
    'a space before ! sends the line as a prompt',
  ].join('\n');
