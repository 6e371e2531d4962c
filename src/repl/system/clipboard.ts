import type { Clock } from '../../clock.ts';
import type { Environment } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { runChild } from './child-process.ts';

export interface ClipboardOptions {
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
  readonly clock: Pick<Clock, 'sleep'>;
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

/** Seconds. PowerShell needs a few to start. */
const longestRun = 5;

type Outcome = 'copied' | 'failed' | 'endless';

async function runCommand(
  [program, ...words]: Command,
  input: string,
  { environment, clock }: ClipboardOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const over = new AbortController();
  const limit = new AbortController();
  const sleeping = clock.sleep(longestRun * 1000, over.signal);
  void sleeping.then(
    () => limit.abort('endless'),
    () => undefined,
  );
  const stop = AbortSignal.any([signal, limit.signal]);
  try {
    const code = await runChild(program, words, { environment, input, signal: stop });
    return code === 0 ? 'copied' : 'failed';
  } catch (error) {
    if (limit.signal.aborted && !signal.aborted) return 'endless';
    throw error;
  } finally {
    over.abort('over');
  }
}

function throughTerminal(
  text: string,
  { control }: ClipboardOptions,
  endless: string | undefined,
): string {
  const problem = endless && `${endless} did not end within ${longestRun} seconds`;
  if (control === undefined) {
    throw new Failure('configuration', problem ?? 'there is no clipboard command', {
      hint:
        problem === undefined
          ? 'install wl-copy, xclip or xsel, or write it to a file: /save answer.md'
          : 'write it to a file: /save answer.md',
    });
  }
  control(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  const way = 'through the terminal (OSC 52), if it allows that';
  return problem === undefined ? way : `${way}: ${problem}`;
}

/**
 * Copies a text to the clipboard with the system's command, else through the terminal (OSC 52), which may not
 * allow it. A command that does not end is killed. @returns how, to complete `copied …`
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
    if (outcome === 'endless') return throughTerminal(text, options, command[0]);
  }
  return throughTerminal(text, options, undefined);
}
