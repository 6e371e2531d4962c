import { expect, test } from 'vitest';
import { openSandbox } from '../sandbox/sandbox-helpers.ts';
import { runInMemory } from '../support/in-memory.ts';
import { serviceAt } from '../support/natter.ts';
import { keys, leave, openRepl, screenWith, sharedHome } from '../support/repl-terminal.ts';
import { openTerminal } from '../support/terminal.ts';

const own = '\u001B[38;2;255;95;175mcode\u001B[39m';

/** The environment of a profile with a colour for code. */
async function openProfile() {
  const service = serviceAt(await openSandbox(), { NATTER_API_KEY: 'sandbox-key' });
  const env = { ...sharedHome(), ...service, COLORTERM: 'truecolor' };
  const set = await runInMemory(['config', 'set', 'colors.code', '#FF5FAF'], { env });
  expect(set.stderr).toBe('natter: colors.code is set to #ff5faf in profile default\n');
  return env;
}

test('a colour of the profile applies to single answers, except without colours', async () => {
  const env = await openProfile();
  const listed = await runInMemory(['config', 'list'], { env });
  expect(listed.stdout).toContain('colors.code\t#ff5faf\tprofile default\n');
  const outputs = ['', 'NO_COLOR', 'NATTER_THEME'].map(async (name) => {
    const more = name === '' ? {} : { [name]: name === 'NO_COLOR' ? '1' : 'mono' };
    const terminal = openTerminal(['[sandbox echo] a `code`'], { env: { ...env, ...more } });
    await terminal.exit;
    return terminal.output();
  });
  const [colored, without, mono] = await Promise.all(outputs);
  expect(colored).toContain(own);
  expect(without).not.toContain('38;2');
  expect(mono).not.toContain('38;2');
});

test('stored answers have the colours of the profile', async () => {
  const env = await openProfile();
  await runInMemory(['[sandbox echo] a `code`'], { env });
  const colored = openTerminal(['last'], { env });
  await colored.exit;
  expect(colored.output()).toContain(own);
});

test('a theme that does not exist does not hide a stored answer', async () => {
  const env = await openProfile();
  await runInMemory(['[sandbox echo] a `code`'], { env });
  const terminal = openTerminal(['last'], { env: { ...env, NATTER_THEME: 'pink' } });
  expect((await terminal.exit).exitCode).toBe(0);
  expect(await terminal.transcript()).toMatch(/NATTER_THEME must be[^]*has the default theme/);
  expect(await terminal.transcript()).toContain('a code');
});

test('a bad colour and an unknown part are refused', async () => {
  const env = await openProfile();
  const bad = await runInMemory(['config', 'set', 'colors.code', 'redd'], { env });
  expect([bad.code, bad.stderr]).toEqual([
    2,
    'natter: colors.code must be a colour such as red, bright-blue, #5fafd7 or default, with bold, italic or underline if wanted, as in "red bold"\n',
  ]);
  const part = await runInMemory(['config', 'set', 'colors.cod', 'red'], { env });
  expect([part.code, part.stderr.split('\n')[0]]).toEqual([
    2,
    'natter: "cod" is not a part of an answer with a colour',
  ]);
});

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

test('COLORFGBG sets the colours of a single answer', async () => {
  const env = { COLORFGBG: '0;15' };
  const terminal = openTerminal(['--sandbox', '[sandbox echo] a `code`'], { env });
  await terminal.exit;
  expect(terminal.output()).toContain(lightCode);
  expect(terminal.output()).not.toContain(query);
});
