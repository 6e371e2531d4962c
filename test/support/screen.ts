import { Unicode11Addon } from '@xterm/addon-unicode11';
import headless, { type Terminal } from '@xterm/headless';
import { setImmediate as tick } from 'node:timers/promises';
import { terminalTraits } from '../../src/terminal/device/terminal-kind.ts';
import type { OutputStream } from '../../src/terminal/device/streams.ts';
import type { Frame } from '../../src/terminal/region/paint.ts';
import { LiveRegion } from '../../src/terminal/region/region.ts';
import { createFakeClock } from './fake-clock.ts';
import { createMemoryOutput } from './memory-context.ts';

export function createEmulator(columns: number, rows: number): Terminal {
  const terminal = new headless.Terminal({
    cols: columns,
    rows,
    scrollback: 100_000,
    allowProposedApi: true,
  });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  return terminal;
}

/** Scrollback and screen as a selection copies them: rows that the terminal wrapped are one line. */
export function unwrappedLines({ buffer: { active } }: Terminal): string[] {
  const lines: string[] = [];
  for (let index = 0; index < active.length; index += 1) {
    const row = active.getLine(index);
    const continues = active.getLine(index + 1)?.isWrapped === true;
    const text = row?.translateToString(!continues) ?? '';
    if (row?.isWrapped === true) lines.push((lines.pop() ?? '') + text);
    else lines.push(text);
  }
  return lines;
}

/** A terminal emulator without a program, whose content a test reads as a user would see it. */
export function createScreen(columns: number, rows: number) {
  const terminal = createEmulator(columns, rows);
  /** Everything written. */
  const output: string[] = [];
  /** Resolves when everything written is shown. */
  const settled = () =>
    new Promise<void>((resolve) => {
      terminal.write('', resolve);
    });
  const buffer = () => terminal.buffer.active;
  return {
    output,
    settled,
    columns: () => terminal.cols,
    rows: () => terminal.rows,
    write(text: string): undefined {
      output.push(text);
      terminal.write(text);
      return undefined;
    },
    /** Shows everything written before. */
    resize: async (newColumns: number, newRows: number) => {
      await settled();
      terminal.resize(newColumns, newRows);
    },
    /** The visible rows, trailing blanks removed. */
    async screen() {
      await settled();
      const found = Array.from({ length: terminal.rows }, (_, row) =>
        buffer()
          .getLine(buffer().baseY + row)
          ?.translateToString(true),
      );
      while (found.length > 0 && found.at(-1) === '') found.pop();
      return found.map((row) => row ?? '');
    },
    /** Scrollback and screen as lines of text: rows that the terminal wrapped are one line. */
    async lines() {
      await settled();
      const found = unwrappedLines(terminal);
      while (found.length > 0 && found.at(-1) === '') found.pop();
      return found;
    },
    async cursor() {
      await settled();
      return { row: buffer().cursorY, column: buffer().cursorX };
    },
  };
}

export const footer: Frame = {
  rows: ['status', '> prompt', 'footer'],
  caret: { row: 1, column: 8 },
};

/** As of xterm.js, which the screens here are. */
export const rewrappingTraits = terminalTraits({ TERM_PROGRAM: 'vscode' });

/** @param own what differs from the output and the traits of the emulator */
export function openRegion(
  columns = 20,
  rows = 10,
  own: { readonly output?: Partial<OutputStream>; readonly synchronized?: boolean } = {},
) {
  const screen = createScreen(columns, rows);
  const clock = createFakeClock();
  const region = new LiveRegion({
    output: { ...createMemoryOutput(true), ...screen, ...own.output },
    clock,
    traits: { ...rewrappingTraits, synchronized: own.synchronized ?? true },
  });
  const settle = async () => {
    await screen.settled();
    await clock.advance(200);
    await tick();
  };
  return {
    screen,
    clock,
    region,
    settle,
    /** Writes text above the region. */
    commit: async (text: string) => {
      region.commit(text);
      await settle();
    },
    render: async (frame: Frame) => {
      region.render(() => frame);
      await settle();
    },
    resize: async (newColumns: number, newRows: number) => {
      await screen.resize(newColumns, newRows);
      region.resized();
      await settle();
    },
    /** The bytes of an action. */
    written: async (act: () => unknown) => {
      screen.output.length = 0;
      await act();
      await settle();
      return screen.output.join('');
    },
  };
}

/** Opens a region and renders `frame` in it. */
export async function drawn(frame: Frame, columns?: number, rows?: number) {
  const opened = openRegion(columns, rows);
  await opened.render(frame);
  return opened;
}

export const withRegion = (text: readonly string[]) => [...text, ...footer.rows];
