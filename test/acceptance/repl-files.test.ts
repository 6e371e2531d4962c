import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keys, leave, openRepl, screenWith } from '../support/repl-terminal.ts';
import { openTerminal } from '../support/terminal.ts';

test('a menu after @ shows the files that match, and Tab accepts one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-picked-'));
  mkdirSync(join(folder, 'docs'));
  for (const name of ['docs/green-tea.md', 'notes.md']) writeFileSync(join(folder, name), 'text');
  const shell = `cd '${folder}' && exec $NATTER --sandbox`;
  const terminal = await openRepl([], { columns: 120, shell });
  terminal.type('sum up @');
  await screenWith(terminal, /› sum up @ *\n› docs\/ *\n +notes\.md/);
  terminal.type('grtea');
  await screenWith(terminal, /› docs\/green-tea\.md/);
  terminal.type(keys.tab);
  await screenWith(terminal, /› sum up @docs\/green-tea\.md *$/m);
  terminal.type(keys.enter);
  await terminal.waitFor(/attached docs\/green-tea\.md \(4 bytes\)/);
  expect(await leave(terminal)).toBe(0);
});

const env = { SHELL: '/bin/sh' };

describe.runIf(process.platform !== 'win32')('a command for the shell', () => {
  test('shows its output as it arrives, and Esc ends it with all that it started', async () => {
    const terminal = await openRepl(['--sandbox'], { env });
    terminal.type('!');
    terminal.type(`sleep 600 & echo $!; printf 'not yet'; wait${keys.enter}`);
    const screen = await screenWith(terminal, /^\d+\nnot yet[^]*running sleep/m);
    const sleeping = Number(/^(\d+)\nnot yet/m.exec(screen)?.[1]);
    terminal.type(keys.escape);
    await terminal.waitFor(/not yet\n.*stopped; \d+ bytes are attached/);
    const stateOf = () => {
      try {
        return readFileSync(`/proc/${sleeping}/stat`, 'utf8').split(' ')[2];
      } catch {
        return 'ended';
      }
    };
    await expect.poll(stateOf).toMatch(/^(?:Z|ended)$/);
    expect(await leave(terminal)).toBe(0);
  });

  test('runs in line mode, and Ctrl+C ends it', async () => {
    const terminal = openTerminal(['--sandbox', '--accessible'], { env });
    await terminal.waitFor(/You:/);
    terminal.type('!echo one\r');
    await terminal.waitFor(
      /^one\nnatter: exit code 0; 4 bytes are attached to the next prompt\nYou:/m,
    );
    terminal.type('!!echo two; sleep 600\r');
    await terminal.waitFor(/^two$/m);
    terminal.type(keys.interrupt);
    await terminal.waitFor(/^natter: stopped\nYou:/m);
    expect(await leave(terminal)).toBe(0);
  });
});
