import { expect, test } from 'vitest';
import { keys, leave, openRepl, screenWith } from '../support/repl-terminal.ts';
import { openTerminal } from '../support/terminal.ts';

const query = '\u001B]11;?\u001B\\';
const reply = '\u001B]11;rgb:ffff/fafa/fafa\u001B\\';
const lightCode = '\u001B[38;5;23mcode\u001B[39m';
const darkCode = '\u001B[38;5;80mcode\u001B[39m';

test('a conversation asks for the background, and the reply is not typed', async () => {
  const terminal = await openRepl(['--sandbox']);
  expect(terminal.output().split(query)).toHaveLength(2);
  terminal.type(reply);
  terminal.type('[sandbox echo] a `code`\r');
  await screenWith(terminal, /\na code\n/);
  expect(terminal.output()).toContain(lightCode);
  expect(await terminal.transcript()).not.toMatch(/rgb:|fafa/);
  terminal.type(`/theme dark${keys.enter}`);
  terminal.type('[sandbox echo] b `code`\r');
  await screenWith(terminal, /\nb code\n/);
  expect(terminal.output()).toContain(darkCode);
  expect(await leave(terminal)).toBe(0);
});

test('with COLORFGBG nothing is asked', async () => {
  const terminal = await openRepl(['--sandbox'], { env: { COLORFGBG: '15;0' } });
  terminal.type('[sandbox echo] a `code`\r');
  await screenWith(terminal, /\na code\n/);
  expect(terminal.output()).toContain(darkCode);
  expect(terminal.output()).not.toContain(query);
  expect(await leave(terminal)).toBe(0);
});

test.each([
  ['NATTER_THEME', { NATTER_THEME: 'light' }, []],
  ['--theme', {}, ['--theme', 'light']],
  ['COLORFGBG', { COLORFGBG: '0;15' }, []],
])('%s sets the colours of a single answer', async (_, env, words) => {
  const terminal = openTerminal(['--sandbox', ...words, '[sandbox echo] a `code`'], { env });
  await terminal.exit;
  expect(terminal.output()).toContain(lightCode);
  expect(terminal.output()).not.toContain(query);
});
