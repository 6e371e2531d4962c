import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { leave, openRepl, screenWith, sharedHome } from '../support/repl-terminal.ts';
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
  await screenWith(terminal, /\/wrap words[^]*\nYou:$/);
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
