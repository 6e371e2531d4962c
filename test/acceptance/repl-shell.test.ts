import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openRemote } from '../support/remote-service.ts';
import { keys, leave, openRepl, paste, screenWith, sharedHome } from '../support/repl-terminal.ts';
import { githubToken } from '../support/secret-shapes.ts';
import { openTerminal } from '../support/terminal.ts';

const env = { SHELL: '/bin/sh' };

describe.runIf(process.platform !== 'win32')('a command for the shell', () => {
  test('is run, and its output is part of the next prompt and of the journal', async () => {
    const home = sharedHome();
    const terminal = await openRepl(['--sandbox'], { env: { ...env, ...home } });
    terminal.type('!');
    terminal.type(`echo one; echo two >&2; exit 3${keys.enter}`);
    await terminal.waitFor(/^one\ntwo\n.*exit code 3; 8 bytes are attached to the next prompt$/m);
    await screenWith(terminal, /with !echo one; echo two >&2; exit 3/);
    terminal.type(`[sandbox echo] see${keys.enter}`);
    await terminal.waitFor(/attached !echo one.* \(\d+ bytes\)/);
    await terminal.waitFor(/\(exit code 3\)/);
    expect(await leave(terminal)).toBe(0);
    const folder = join(home.HOME, '.local/share/natter/conversations');
    const name = readdirSync(folder).find((file) => file.endsWith('.jsonl')) ?? '';
    expect(readFileSync(join(folder, name), 'utf8')).toContain(
      String.raw`$ echo one; echo two >&2; exit 3\none\ntwo\n(exit code 3)`,
    );
  });

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

  test('is asked about if it was pasted', async () => {
    const terminal = await openRepl(['--sandbox'], { env });
    terminal.type(paste('!echo x$((1+1))x\necho y$((2+2))y'));
    await screenWith(terminal, /› !echo[^]*echo y/);
    terminal.type(keys.enter);
    await screenWith(terminal, /run the pasted text in the shell\?/);
    terminal.type(keys.enter);
    await screenWith(terminal, /› !echo x[^]*echo y/);
    expect(terminal.output()).not.toMatch(/x2x/);
    terminal.type(keys.enter);
    await screenWith(terminal, /run the pasted text in the shell\?/);
    terminal.type('2');
    await terminal.waitFor(/^x2x\ny4y$/m);
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

  test('is a prompt if the setting turns it off', async () => {
    const off = { ...env, NATTER_SHELL_COMMANDS: 'false' };
    const terminal = openTerminal(['--sandbox', '--accessible'], { env: off });
    await terminal.waitFor(/You:/);
    terminal.type('!ls\r');
    await terminal.waitFor(/your prompt: `?!ls[^]*You:/);
    expect(await leave(terminal)).toBe(0);
  });

  test('has its secrets found before its output is sent', async () => {
    const remote = await openRemote();
    const terminal = await openRepl([], { env: { ...remote.env, ...env }, columns: 120 });
    terminal.type('!');
    terminal.type(`echo token=${githubToken}${keys.enter}`);
    await terminal.waitFor(/exit code 0; \d+ bytes are attached/);
    terminal.type(`what is it?${keys.enter}`);
    await screenWith(terminal, /has a GitHub token \(ghp_…\)[^]*the files have secrets/);
    expect(remote.server.requests).toEqual([]);
    terminal.type(keys.escape);
    terminal.kill('SIGTERM');
    await terminal.exit;
  });
});
