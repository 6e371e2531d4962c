// Runs commands in a shell in a pseudo-terminal, and takes what the terminal shows at each moment.
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import headless, { type IBufferCell, type Terminal } from '@xterm/headless';

export interface Style {
  /** An index of the 8 colours; undefined for the foreground. */
  readonly color: number | undefined;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
}

interface Cell {
  readonly text: string;
  readonly style: Style;
}

/** What the terminal shows from a moment on. */
export interface Frame {
  /** Milliseconds since the start. */
  readonly at: number;
  /** The first visible line. */
  readonly top: number;
  /** All lines from the first one of the session on, each up to its last character. */
  readonly lines: readonly (readonly Cell[])[];
  readonly cursor: { readonly line: number; readonly column: number };
}

export interface Session {
  readonly columns: number;
  readonly rows: number;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Typed one after the other, each when the one before has ended. */
  readonly commands: readonly string[];
  /** Milliseconds that the last lines of a command stay before the next one is typed. */
  readonly pause: number;
}

const frameLength = 66;
const keyPause = 36;
/** What the shell writes before each prompt; a terminal ignores it. */
const promptMark = '\u001B]7777;prompt\u0007';

function styleOf(cell: IBufferCell): Style {
  if (cell.getWidth() !== 1 || cell.isInverse() || !cell.isBgDefault() || cell.isFgRGB()) {
    throw new Error(`the pictures cannot draw ${cell.getChars()} as it is here`);
  }
  return {
    color: cell.isFgPalette() ? cell.getFgColor() % 8 : undefined,
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
  };
}

function readLine(terminal: Terminal, index: number): Cell[] {
  const line = terminal.buffer.active.getLine(index);
  const length = line?.translateToString(true).length ?? 0;
  const cells: Cell[] = [];
  for (let column = 0; column < terminal.cols && column < length; column += 1) {
    const cell = line?.getCell(column);
    if (cell === undefined) continue;
    cells.push({ text: cell.getChars() || ' ', style: styleOf(cell) });
  }
  return cells;
}

function readFrame(terminal: Terminal, at: number): Frame {
  const { length, baseY, cursorX, cursorY } = terminal.buffer.active;
  const lines = Array.from({ length }, (_, index) => readLine(terminal, index));
  return { at, top: baseY, lines, cursor: { line: baseY + cursorY, column: cursorX } };
}

function openShell({ columns, rows, folder, environment }: Session) {
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  const prompt = '\\[\\e[1;32m\\]$\\[\\e[0m\\] ';
  const child = spawn('/bin/bash', ['--norc', '--noprofile', '-i'], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd: folder,
    env: {
      ...environment,
      PROMPT_COMMAND: `printf '${promptMark}'; PS1=$NEXT_PROMPT; NEXT_PROMPT='\\n${prompt}'`,
      NEXT_PROMPT: prompt,
    },
  });
  let output = '';
  child.onData((data) => {
    output += data;
    terminal.write(data);
  });
  terminal.onData((data) => child.write(data));
  return { terminal, child, prompts: () => output.split(promptMark).length - 1 };
}

/** The frames of a session. */
export async function captureSession(session: Session): Promise<readonly Frame[]> {
  const { terminal, child, prompts } = openShell(session);
  const frames: Frame[] = [];
  let start = Date.now();
  const timer = setInterval(
    () => frames.push(readFrame(terminal, Date.now() - start)),
    frameLength,
  );
  const untilPrompt = async (count: number) => {
    while (prompts() < count) await sleep(frameLength);
  };
  await untilPrompt(1);
  await sleep(2 * frameLength);
  frames.length = 0;
  start = Date.now();
  for (const [index, command] of session.commands.entries()) {
    for (const key of command) {
      child.write(key);
      await sleep(keyPause);
    }
    await sleep(10 * keyPause);
    child.write('\r');
    await untilPrompt(index + 2);
    await sleep(session.pause);
  }
  clearInterval(timer);
  child.kill();
  return frames;
}
