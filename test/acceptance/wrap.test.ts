import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { serviceAt } from '../support/natter.ts';
import { streamed } from '../support/raw-replies.ts';
import { leave, openRepl, screenWith, sharedHome } from '../support/repl-terminal.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';

const prompt =
  '[sandbox echo rate=200] - one two three four five six\n\n> seven eight nine ten eleven';
const rows = '• one two three four\n  five six\n\n│ seven eight nine ten\n│ eleven';

test('an answer on a terminal is wrapped between words', async () => {
  const terminal = openTerminal(['--sandbox', prompt], { columns: 22 });
  await terminal.exit;
  expect(await terminal.transcript()).toContain(rows);
});

test.each([
  ['--wrap none', ['--wrap', 'none'], {}],
  ['NATTER_WRAP=none', [], { NATTER_WRAP: 'none' }],
])('with %s the terminal wraps it', async (_, words, env) => {
  const terminal = openTerminal(['--sandbox', ...words, prompt], { columns: 22, env });
  await terminal.exit;
  expect(await terminal.copied()).toContain('• one two three four five six\n');
});

test('a stored conversation is wrapped between words, and natter last leaves that to the terminal', async () => {
  const env = sharedHome();
  await runInMemory(['--sandbox', prompt], { env });
  const open = (...words: string[]) => openTerminal(words, { columns: 22, env });
  const [shown, last] = [open('conversations', 'show', 'latest'), open('last')];
  await Promise.all([shown.exit, last.exit]);
  expect(await shown.transcript()).toContain(rows);
  expect(await last.copied()).toContain('• one two three four five six\n');
});

test('an answer in a pipe is not wrapped', async () => {
  const { stdout } = await runInMemory(['--sandbox', '--markdown', '--color', 'always', prompt], {
    env: { COLUMNS: '22', LC_ALL: 'C.UTF-8' },
  });
  expect(stdout).toContain('• one two three four five six\n');
});

test('an answer in a conversation is wrapped, and /wrap none leaves that to the terminal', async () => {
  const terminal = await openRepl(['--sandbox'], { columns: 30 });
  terminal.type('[sandbox echo rate=200] one two three four five six seven eight\r');
  await screenWith(terminal, /\none two three four five six\nseven eight/);
  terminal.type('/wrap none\r');
  await screenWith(terminal, /the terminal wraps answers/);
  terminal.type('[sandbox echo] 1 two three four five six seven eight\r');
  await screenWith(terminal, /\n1 two three four five six seve\nn eight/);
  expect(await leave(terminal)).toBe(0);
});

test('plain lines end between words, and /wrap none leaves that to the terminal', async () => {
  const terminal = openTerminal(['--sandbox', '--accessible'], { columns: 30 });
  await terminal.waitFor(/You:/);
  terminal.type('[sandbox echo rate=200] one two three four five six seven\r');
  await screenWith(terminal, /^origin: one two three four\nfive six seven\nYou:$/m);
  terminal.type('/wrap none\r');
  await screenWith(terminal, /settings wrap[^]*words[^]*\nYou:$/);
  terminal.type('[sandbox echo] one two three seventeen four\r');
  await screenWith(terminal, /^origin: one two three sev[^]*\nYou:$/m);
  expect(await terminal.copied()).toContain('origin: one two three seventeen four\n');
  expect(await leave(terminal)).toBe(0);
});

test('a single answer in plain lines is wrapped between words', async () => {
  const text = '[sandbox echo] one two three four five';
  const terminal = openTerminal(['--sandbox', '--accessible', text], { columns: 20 });
  await terminal.exit;
  expect(await terminal.copied()).toContain('one two three four\nfive\n');
});

test('reasoning in a conversation is wrapped between words', async () => {
  const terminal = await openRepl(['--sandbox', '--reasoning'], { columns: 24 });
  terminal.type('[sandbox reasoning tokens=2]\r');
  await screenWith(terminal, /\nThe sandbox does not\nthink\.\n/);
  expect(await leave(terminal)).toBe(0);
});

const missing = ['conversations', 'show', 'seagulls'];

test('a failure on a narrow terminal breaks between words, and its command is copied whole', async () => {
  const terminal = openTerminal(missing, { columns: 40 });
  expect((await terminal.exit).exitCode).toBe(6);
  const copied = (await terminal.copied()).trimEnd();
  expect(copied).toBe(await terminal.transcript());
  expect(copied).toMatch(/^natter: .*\n {8}\S/);
  expect(copied).toMatch(/^ *natter conversations search seagulls$/m);
});

test('in a pipe a failure is one line, and its hint another', async () => {
  const { stderr } = await runInMemory(missing, { env: { COLUMNS: '40' } });
  expect(stderr.split('\n')).toHaveLength(3);
});

/** The titles of the window, in order. */
const titlesIn = (output: string) =>
  [...output.matchAll(/\u001B\]2;([^\u0007]*)\u0007/g)].map(([, title]) => title);

/** Puts back the progress of the tab, and the title. */
const putBack = '\u001B]9;4;0;\u0007\u001B[23;2t';

const shown = { NATTER_PROGRESS: 'on', NATTER_WINDOW_TITLE: 'on' };

test('--every shows the lines it answers in the title of the window', async () => {
  const shell = String.raw`printf 'a\nb\n' | $NATTER --sandbox --every 1l "[sandbox echo]ask"`;
  const session = openTerminal([], { shell, env: shown });
  await session.exit;
  expect(titlesIn(session.output())).toEqual([
    'line 1 - natter --every',
    'natter --every',
    'line 2 - natter --every',
    'natter --every',
  ]);
  expect(session.output()).toContain('\u001B]9;4;3;');
  expect(session.output().endsWith(putBack)).toBe(true);
});

test('--every -q shows nothing in the title', async () => {
  const shell = String.raw`printf 'a\n' | $NATTER --sandbox -q --every 1l "[sandbox echo]ask"`;
  const session = openTerminal([], { shell, env: shown });
  await session.exit;
  expect(session.output()).not.toContain('\u001B]2;');
});

test('--split shows the share of the answered pieces in the title of the window', async () => {
  const server = await serve([[600, streamed('part')]]);
  const state = mkdtempSync(join(tmpdir(), 'natter-split-'));
  writeFileSync(join(state, 'models.json'), JSON.stringify({ [server.url]: { origin: 800 } }));
  const file = join(state, 'text.txt');
  writeFileSync(file, `${'x'.repeat(60)}\n`.repeat(600));
  const env = serviceAt(server, { ...shown, NATTER_STATE_DIR: state });
  const words = ['--split', 'lines', '--max-tokens', '50', '-f', file, 'count'];
  const session = openTerminal(words, { env });
  await session.exit;
  const titles = titlesIn(session.output());
  expect(titles[0]).toBe('0% - natter --split');
  expect(titles.length).toBeGreaterThan(1);
  expect(session.output()).toContain(putBack);
});
