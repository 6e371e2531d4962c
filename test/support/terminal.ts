import { type IPty, type IPtyForkOptions, spawn } from '@lydell/node-pty';
import type headless from '@xterm/headless';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { setImmediate as tick, setTimeout as sleep } from 'node:timers/promises';
import type { ReadStream } from 'node:tty';
import { expect, onTestFinished } from 'vitest';
import { folderOf } from './folder.ts';
import { binary, cleanEnvironment } from './natter.ts';
import { createEmulator, unwrappedLines } from './screen.ts';

/** Fields of node-pty on POSIX systems, which its types omit. */
interface PosixPty {
  readonly _socket: ReadStream;
  readonly fd: number;
  /** The program's end of the pseudo-terminal. */
  readonly ptsName: string;
}

/** The unread output in the pseudo-terminal of `fd`. */
function* unread(fd: number): Generator<Buffer, void> {
  const block = Buffer.alloc(65_536);
  for (;;) {
    try {
      const length = readSync(fd, block);
      if (length === 0) return;
      yield Buffer.from(block.subarray(0, length));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Empty, or hung up.
      if (code === 'EAGAIN' || code === 'EIO' || code === 'EBADF') return;
      throw error;
    }
  }
}

/**
 * Starts a program on a pseudo-terminal; all its output arrives before `onExit`. node-pty alone loses the end of the
 * output if the reader is busy: Node treats a hang-up as the end after the first short read, and node-pty closes the
 * terminal 200 ms after the program has ended. Here the program's end is kept open, and drained at the exit.
 */
export function spawnOnTerminal(file: string, args: string[], options: IPtyForkOptions): IPty {
  const child = spawn(file, args, options);
  if (process.platform === 'win32') return child;
  const { _socket: socket, fd, ptsName } = child as unknown as PosixPty;
  const held = openSync(ptsName, constants.O_RDWR | constants.O_NOCTTY);
  let isOver = false;
  // node-pty adds this listener only when the program has ended or the window is closed.
  socket.on('newListener', (event) => {
    if (event !== 'close' || isOver) return;
    isOver = true;
    for (const bytes of unread(fd)) {
      socket.push(bytes);
      while (socket.read() !== null);
    }
    closeSync(held);
    socket.destroy();
  });
  return child;
}

export interface TerminalOptions {
  /** The current folder; by default a new one. */
  readonly cwd?: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Runs this shell command line instead, with `natter` on the path as $NATTER. */
  readonly shell?: string;
}

function textOf(terminal: headless.Terminal, from: number, to: number): string {
  const lines: string[] = [];
  for (let index = from; index < to; index += 1) {
    lines.push(terminal.buffer.active.getLine(index)?.translateToString(true) ?? '');
  }
  return lines.join('\n').trimEnd();
}

export type TerminalSession = ReturnType<typeof openTerminal>;

/** Starts natter in a pseudo-terminal of 80 by 24 or the given size, seen through a terminal emulator. */
export function openTerminal(words: readonly string[], options: TerminalOptions = {}) {
  const { columns = 80, rows = 24 } = options;
  const terminal = createEmulator(columns, rows);
  const env = cleanEnvironment({ TERM: 'xterm-256color', ...options.env });
  const [file, args] =
    options.shell === undefined
      ? [process.execPath, [binary, ...words]]
      : ['/bin/bash', ['--norc', '-c', options.shell]];
  const child = spawnOnTerminal(file, args, {
    name: env['TERM'] ?? 'xterm-256color',
    cols: columns,
    rows,
    cwd: options.cwd ?? folderOf(),
    env: { ...env, NATTER: `${process.execPath} ${binary}` },
  });
  let output = '';
  // T21: text that was on the terminal before is never erased.
  onTestFinished(() => expect(output).not.toMatch(/\u001B\[[23]J/));
  let waiters: (() => void)[] = [];
  child.onData((data) => {
    output += data;
    terminal.write(data, () => {
      for (const waiter of waiters) waiter();
    });
  });
  terminal.onData((data) => child.write(data));
  const flushed = () => new Promise<void>((resolve) => terminal.write('', resolve));
  const exit = new Promise<{ exitCode: number; signal: number | undefined }>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      void flushed().then(() => {
        resolve({ exitCode, signal });
        for (const waiter of waiters) waiter();
      });
    });
  });
  /** Screen and scrollback. */
  const transcript = async () => {
    await flushed();
    return textOf(terminal, 0, terminal.buffer.active.length);
  };
  let ended = false;
  void exit.then(() => (ended = true));
  const resize = (newColumns: number, newRows: number) => {
    child.resize(newColumns, newRows);
    terminal.resize(newColumns, newRows);
  };
  return {
    /** All bytes that the program wrote. */
    output: () => output,
    resize,
    /** Stops the program during the resize, so that no output for the old size is in flight. */
    async resizeStopped(newColumns: number, newRows: number) {
      child.kill('SIGSTOP');
      let before: number;
      do {
        before = output.length;
        // Long enough for a busy machine to pass on what the program wrote before it stopped.
        await sleep(100);
        // Pending output is read between a timer and an immediate.
        await tick();
      } while (output.length !== before);
      await flushed();
      resize(newColumns, newRows);
      child.kill('SIGCONT');
    },
    /** The visible screen, lines joined by newlines, trailing blanks removed. */
    async screen() {
      await flushed();
      const { viewportY } = terminal.buffer.active;
      return textOf(terminal, viewportY, viewportY + terminal.rows);
    },
    transcript,
    /** Screen and scrollback as a selection copies them: rows that the terminal wrapped are one line. */
    async copied() {
      await flushed();
      return unwrappedLines(terminal).join('\n');
    },
    type: (text: string) => child.write(text),
    kill: (signal: string) => child.kill(signal),
    /** The modes that the program has switched on. */
    async modes() {
      await flushed();
      const shown = output.lastIndexOf('\u001B[?25h');
      const hidden = output.lastIndexOf('\u001B[?25l');
      return { bracketedPaste: terminal.modes.bracketedPasteMode, cursorHidden: hidden > shown };
    },
    /** Closes the terminal's window; node-pty's types omit it. */
    hangUp: () => (child as unknown as { destroy(): void }).destroy(),
    exit,
    /** Resolves when the transcript matches. */
    waitFor: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const check = () => {
          void transcript().then((text) => {
            if (!pattern.test(text)) {
              if (ended) reject(new Error(`ended before ${pattern}:\n${text}`));
              return;
            }
            waiters = waiters.filter((waiter) => waiter !== check);
            resolve(text);
          });
        };
        waiters.push(check);
        void exit.then(check);
        check();
      }),
  };
}

export const keys = {
  enter: '\r',
  escape: '\u001B',
  interrupt: '\u0003',
  end: '\u0004',
  suspend: '\u001A',
  redraw: '\u000C',
  up: '\u001B[A',
  down: '\u001B[B',
} as const;

/** The input that a terminal sends for a paste. */
export const paste = (text: string) => `\u001B[200~${text.replaceAll('\n', '\r')}\u001B[201~`;

/** Sequences that erase the screen or the scrollback. */
export const clears = /\u001B\[[23]J|\u001Bc/;

/** A REPL on the sandbox, ready for the first prompt. */
export async function openRepl(
  words: readonly string[] = ['--sandbox'],
  options: TerminalOptions = {},
): Promise<TerminalSession> {
  const terminal = openTerminal(words, options);
  await terminal.waitFor(/›/);
  return terminal;
}

/** A home folder that several sessions share. */
export const sharedHome = () => ({ HOME: folderOf() });

/** Resolves when the window shows the pattern. */
export async function screenWith(terminal: TerminalSession, pattern: RegExp): Promise<string> {
  const end = Date.now() + 60_000;
  for (;;) {
    const screen = await terminal.screen();
    if (pattern.test(screen)) return screen;
    if (Date.now() > end) throw new Error(`never showed ${pattern}:\n${screen}`);
    await sleep(20);
  }
}

/** Leaves an idle REPL. @returns its exit code */
export async function leave(terminal: TerminalSession): Promise<number> {
  terminal.type(keys.end);
  return (await terminal.exit).exitCode;
}
