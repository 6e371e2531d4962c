// Runs commands in a shell in a pseudo-terminal, and takes what the terminal shows at each moment.
import { setTimeout as sleep } from 'node:timers/promises';
import type { IBufferCell, Terminal } from '@xterm/headless';
import { spawnOnTerminal } from '../../test/support/terminal.ts';
import { createEmulator } from '../../test/support/screen.ts';

interface Cell {
  readonly text: string;
  /** Classes of the picture: `c1` for a colour of the palette, `b` for bold, `d` dim, `i` italic, `u` underlined. */
  readonly style: string;
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

function styleOf(cell: IBufferCell): string {
  if (cell.getWidth() !== 1 || cell.isInverse() || !cell.isBgDefault() || cell.isFgRGB()) {
    throw new Error(`the pictures cannot draw ${cell.getChars()} as it is here`);
  }
  const classes = [
    cell.isFgPalette() ? `c${cell.getFgColor() % 8}` : '',
    cell.isBold() === 0 ? '' : 'b',
    cell.isDim() === 0 ? '' : 'd',
    cell.isItalic() === 0 ? '' : 'i',
    cell.isUnderline() === 0 ? '' : 'u',
  ];
  return classes.filter((name) => name !== '').join(' ');
}

function readLine(terminal: Terminal, index: number): Cell[] {
  const line = terminal.buffer.active.getLine(index);
  const { length } = line?.translateToString(true) ?? '';
  return Array.from({ length }, (_, column) => {
    const cell = line?.getCell(column);
    return cell === undefined
      ? { text: ' ', style: '' }
      : { text: cell.getChars() || ' ', style: styleOf(cell) };
  });
}

function readFrame(terminal: Terminal, at: number): Frame {
  const { length, baseY, cursorX, cursorY } = terminal.buffer.active;
  const lines = Array.from({ length }, (_, index) => readLine(terminal, index));
  return { at, top: baseY, lines, cursor: { line: baseY + cursorY, column: cursorX } };
}

function openShell({ columns, rows, folder, environment }: Session) {
  const terminal = createEmulator(columns, rows);
  const prompt = '\\[\\e[1;32m\\]$\\[\\e[0m\\] ';
  const child = spawnOnTerminal('/bin/bash', ['--norc', '--noprofile', '-i'], {
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
export async function recordSession(session: Session): Promise<readonly Frame[]> {
  const { terminal, child, prompts } = openShell(session);
  const untilPrompt = async (count: number) => {
    while (prompts() < count) await sleep(frameLength);
  };
  await untilPrompt(1);
  await sleep(2 * frameLength);
  const frames: Frame[] = [];
  const start = Date.now();
  const record = () => void frames.push(readFrame(terminal, Date.now() - start));
  const timer = setInterval(record, frameLength);
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
