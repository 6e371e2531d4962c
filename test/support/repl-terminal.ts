import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTerminal, type TerminalOptions, type TerminalSession } from './terminal.ts';

export const keys = {
  enter: '\r',
  escape: '\u001B',
  interrupt: '\u0003',
  end: '\u0004',
  suspend: '\u001A',
  editor: '\u0007',
  redraw: '\u000C',
  search: '\u0012',
  tab: '\t',
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
export const sharedHome = () => ({ HOME: mkdtempSync(join(tmpdir(), 'natter-repl-')) });

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
