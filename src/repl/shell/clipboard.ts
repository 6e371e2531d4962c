import { Failure } from '../../failure.ts';
import type { Context } from '../../run.ts';
import { runChild } from './child-process.ts';

/** Writes an escape sequence; undefined for a terminal without escape sequences. */
type Control = ((sequence: string) => void) | undefined;

type Command = readonly [program: string, ...words: string[]];

/** PowerShell, because `clip.exe` reads text in the console's code page instead of UTF-8. */
const powershell: Command = [
  'powershell.exe',
  '-NoProfile',
  '-Command',
  '[Console]::InputEncoding = [Text.Encoding]::UTF8; Set-Clipboard -Value ([Console]::In.ReadToEnd())',
];

/** The commands of a desktop, and the variable that says that it is there. */
const desktopCommands: readonly (readonly [variable: string, command: Command])[] = [
  ['WAYLAND_DISPLAY', ['wl-copy']],
  ['DISPLAY', ['xclip', '-selection', 'clipboard']],
  ['DISPLAY', ['xsel', '--clipboard', '--input']],
  ['WSL_DISTRO_NAME', powershell],
  ['TERMUX_VERSION', ['termux-clipboard-set']],
];

function nativeCommands({ environment, platform }: Context): readonly Command[] {
  // Over SSH, the clipboard of this machine is not the user's.
  if ((environment['SSH_CONNECTION'] ?? environment['SSH_TTY'] ?? '') !== '') return [];
  if (platform === 'darwin') return [['pbcopy']];
  if (platform === 'win32') return [powershell];
  return desktopCommands.flatMap(([variable, command]) => (environment[variable] ? [command] : []));
}

/** PowerShell needs a few seconds to start. */
const timeoutSeconds = 5;

/** `problem`: why the command of the system did not copy it. */
function copyThroughTerminal(text: string, context: Context, control: Control, problem?: string) {
  if (control === undefined) {
    const install = problem === undefined ? 'install wl-copy, xclip or xsel, or ' : '';
    throw new Failure('configuration', problem ?? 'there is no clipboard command', {
      hint: `${install}write the answer to a file: /save answer.md`,
    });
  }
  control(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  const needed = context.environment['TMUX'] ? '; tmux needs: set -g set-clipboard on' : '';
  const how = `through the terminal (OSC 52), if it allows that${needed}`;
  return problem === undefined ? how : `${how}; ${problem}`;
}

/**
 * Copies a text to the clipboard with a command of the system, else through the terminal (OSC 52), which may not
 * allow it. Kills the command after a timeout. @returns how, to complete `copied …`
 * @throws Failure if neither is available; the reason of the context's signal when it aborts
 */
export async function copyText(text: string, context: Context, control: Control): Promise<string> {
  const { clock, environment, signal } = context;
  for (const [program, ...words] of nativeCommands(context)) {
    const timeout = new AbortController();
    const stop = clock.timer(timeoutSeconds * 1000, () => timeout.abort());
    try {
      const kill = AbortSignal.any([signal, timeout.signal]);
      const code = await runChild(program, words, { environment, input: text, signal: kill });
      if (code === 0) return `with ${program}`;
    } catch (error) {
      if (!timeout.signal.aborted || signal.aborted) throw error;
      const problem = `${program} did not end within ${timeoutSeconds} seconds`;
      return copyThroughTerminal(text, context, control, problem);
    } finally {
      stop();
    }
  }
  return copyThroughTerminal(text, context, control);
}
