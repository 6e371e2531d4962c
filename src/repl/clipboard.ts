import { Failure } from '../failure.ts';
import { runChild, type Environment } from './child-process.ts';

export interface ClipboardOptions {
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
  /** Writes an escape sequence to the terminal; undefined for a terminal that takes none. */
  readonly control: ((sequence: string) => void) | undefined;
}

type Command = readonly [program: string, ...words: string[]];

/** `clip.exe` would read the text in the console's code page, so PowerShell takes it, as UTF-8. */
const powershell: Command = [
  'powershell.exe',
  '-NoProfile',
  '-Command',
  '[Console]::InputEncoding = [Text.Encoding]::UTF8; Set-Clipboard -Value ([Console]::In.ReadToEnd())',
];

function nativeCommands({ environment, platform }: ClipboardOptions): readonly Command[] {
  // The machine natter runs on is not the one the person sits at.
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

/**
 * Puts a text into the clipboard: by the system's own command, else by the terminal (OSC 52), which may not
 * allow it. @returns how, to complete `copied …`
 * @throws Failure where there is no way
 */
export async function copyText(text: string, options: ClipboardOptions): Promise<string> {
  const { environment, control } = options;
  for (const [program, ...words] of nativeCommands(options)) {
    const code = await runChild(program, words, { environment, input: text });
    if (code === 0) return `with ${program}`;
  }
  if (control === undefined) {
    throw new Failure('configuration', 'there is no clipboard command', {
      hint: 'install wl-copy, xclip or xsel, or write it to a file: /save answer.md',
    });
  }
  control(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  return 'through the terminal (OSC 52), if it allows that';
}
