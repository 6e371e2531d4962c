import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openRemote } from '../support/remote-service.ts';
import { keys, leave, openRepl, paste, screenWith, sharedHome } from '../support/repl-terminal.ts';
import { githubToken } from '../support/secret-shapes.ts';
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

test('a dropped file is attached', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'natter-dropped-')), 'my notes.md');
  writeFileSync(file, 'about tea');
  const terminal = await openRepl(['--sandbox'], { columns: 120 });
  terminal.type('[sandbox echo] ');
  terminal.type(paste(`'${file}'`));
  await screenWith(terminal, /@".*my notes\.md"[^]*Ctrl\+_ undoes it/);
  terminal.type(keys.enter);
  await terminal.waitFor(/attached .*my notes\.md \(9 bytes\)[^]*about tea/);
  expect(await leave(terminal)).toBe(0);
});

test('in plain lines, Tab finds files in all folders, and a dropped file is attached', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-lines-'));
  mkdirSync(join(folder, 'docs'));
  for (const name of ['docs/green-tea.md', 'docs/black-tea.md']) {
    writeFileSync(join(folder, name), 'text');
  }
  const shell = `cd '${folder}' && exec $NATTER --sandbox --accessible`;
  const terminal = openTerminal([], { columns: 120, shell });
  await terminal.waitFor(/You:/);
  terminal.type(`[sandbox echo] @tea${keys.tab}`);
  await terminal.waitFor(/natter: 2 choices: docs\/black-tea\.md, docs\/green-tea\.md; Tab takes/);
  terminal.type(keys.tab);
  await terminal.waitFor(/choice 1 of 2[^]*You: \[sandbox echo\] @docs\/black-tea\.md/);
  terminal.type(keys.tab);
  await terminal.waitFor(/choice 2 of 2[^]*You: \[sandbox echo\] @docs\/green-tea\.md/);
  terminal.type('and ');
  await terminal.waitFor(/@docs\/green-tea\.md and/);
  terminal.type(`${folder}/docs/black-tea.md`);
  await terminal.waitFor(/@docs\/green-tea\.md and @docs\/black-tea\.md/);
  terminal.type(keys.enter);
  await terminal.waitFor(
    /attached docs\/green-tea\.md [^]*attached docs\/black-tea\.md \(4 bytes\)/,
  );
  expect(await leave(terminal)).toBe(0);
});

test('a pasted path that does not exist stays text', async () => {
  const terminal = await openRepl(['--sandbox'], { columns: 120 });
  terminal.type('[sandbox echo] ');
  terminal.type(paste('/no/such/file.md'));
  terminal.type(keys.enter);
  await terminal.waitFor(/^\/no\/such\/file\.md$/m);
  expect(await leave(terminal)).toBe(0);
});

test('the answer to a prompt file with a schema is checked, and asked for again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-film-'));
  mkdirSync(join(folder, '.natter/prompts'), { recursive: true });
  const text = '---\nschema: title, year int\n---\n[sandbox misfit] a film';
  writeFileSync(join(folder, '.natter/prompts/film.md'), text);
  const shell = `cd '${folder}' && exec $NATTER --sandbox`;
  const terminal = await openRepl([], { columns: 120, shell });
  terminal.type('/film');
  terminal.type(keys.enter);
  await terminal.waitFor(/does not match the schema: the answer must be an object; asking again/);
  await terminal.waitFor(/"year": 1/);
  expect(await leave(terminal)).toBe(0);
});

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
