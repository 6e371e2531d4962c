import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { leave, openRepl, screenWith } from '../support/repl-terminal.ts';
import { openTerminal } from '../support/terminal.ts';

const prompt =
  '[sandbox echo rate=200] - one two three four five six\n\n> seven eight nine ten eleven';
const rows = '• one two three four\n  five six\n\n│ seven eight nine ten\n│ eleven';

test('an answer on a terminal is wrapped between words', async () => {
  const terminal = openTerminal(['--sandbox', prompt], { columns: 22 });
  await terminal.exit;
  expect(await terminal.transcript()).toContain(rows);
});

test('with --wrap none the terminal wraps it', async () => {
  const terminal = openTerminal(['--sandbox', '--wrap', 'none', prompt], { columns: 22 });
  await terminal.exit;
  expect(await terminal.copied()).toContain('• one two three four five six\n');
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
