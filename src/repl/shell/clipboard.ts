import type { Clock } from '../../clock.ts';
import type { Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { runChild } from './child-process.ts';

export interface ClipboardOptions {
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  /** Writes an escape sequence; undefined for a terminal without escape sequences. */
  readonly control: ((sequence: string) => void) | undefined;
}

type Command = readonly [program: string, ...words: string[]];

/** PowerShell, because `clip.exe` reads text in the console's code page instead of UTF-8. */
const powershell: Command = [
  'powershell.exe',
  '-NoProfile',
  '-Command',
  '[Console]::InputEncoding = [Text.Encoding]::UTF8; Set-Clipboard -Value ([Console]::In.ReadToEnd())',
];

function nativeCommands({ environment, platform }: ClipboardOptions): readonly Command[] {
  // Over SSH, the clipboard of this machine is not the user's.
  if ((environment['SSH_CONNECTION'] ?? environment['SSH_TTY'] ?? '') !== '') return [];
  if (platform === 'darwin') return [['pbcopy']];
  if (platform === 'win32') return [powershell];
  const wayland: readonly Command[] = environment['WAYLAND_DISPLAY'] ? [['wl-copy']] : [];
  const x11: readonly Command[] = environment['DISPLAY']
    ? [
        ['xclip', '-selection', 'clipboard'],
        ['xsel', '--clipboard', '--input'],
      ]
    : [];
  const windows: readonly Command[] = environment['WSL_DISTRO_NAME'] ? [powershell] : [];
  const phone: readonly Command[] = environment['TERMUX_VERSION'] ? [['termux-clipboard-set']] : [];
  return [...wayland, ...x11, ...windows, ...phone];
}

/** PowerShell needs a few seconds to start. */
const timeoutSeconds = 5;

type Outcome = 'copied' | 'failed' | 'timed-out';

async function runCommand(
  [program, ...words]: Command,
  input: string,
  { environment, clock }: ClipboardOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const ended = new AbortController();
  const timeout = new AbortController();
  clock.sleep(timeoutSeconds * 1000, ended.signal).then(
    () => timeout.abort('timed out'),
    () => undefined,
  );
  const kill = AbortSignal.any([signal, timeout.signal]);
  try {
    const code = await runChild(program, words, { environment, input, signal: kill });
    return code === 0 ? 'copied' : 'failed';
  } catch (error) {
    if (timeout.signal.aborted && !signal.aborted) return 'timed-out';
    throw error;
  } finally {
    ended.abort('ended');
  }
}

/** `program`: killed after the timeout. */
function copyThroughTerminal(
  text: string,
  { control, environment }: ClipboardOptions,
  program: string | undefined,
): string {
  const problem = program && `${program} did not end within ${timeoutSeconds} seconds`;
  if (control === undefined) {
    throw new Failure('configuration', problem ?? 'there is no clipboard command', {
      hint:
        problem === undefined
          ? 'install wl-copy, xclip or xsel, or write the answer to a file: /save answer.md'
          : 'write the answer to a file: /save answer.md',
    });
  }
  control(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  const isInTmux = (environment['TMUX'] ?? '') !== '';
  const needed = isInTmux ? '; tmux needs: set -g set-clipboard on' : '';
  const how = `through the terminal (OSC 52), if it allows that${needed}`;
  return problem === undefined ? how : `${how}; ${problem}`;
}

/**
 * Copies a text to the clipboard with a command of the system, else through the terminal (OSC 52), which may not
 * allow it. Kills the command after a timeout. @returns how, to complete `copied …`
 * @throws Failure if neither is available; the reason of `signal` when it aborts
 */
export async function copyText(
  text: string,
  options: ClipboardOptions,
  signal: AbortSignal,
): Promise<string> {
  for (const command of nativeCommands(options)) {
    const outcome = await runCommand(command, text, options, signal);
    if (outcome === 'copied') return `with ${command[0]}`;
    if (outcome === 'timed-out') return copyThroughTerminal(text, options, command[0]);
  }
  return copyThroughTerminal(text, options, undefined);
}
