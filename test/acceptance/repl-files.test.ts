import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keys, leave, openRepl, paste, screenWith } from '../support/repl-terminal.ts';
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
