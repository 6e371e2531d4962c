import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { clears, keys, leave, screenWith, sharedHome } from '../support/repl-terminal.ts';
import { openTerminal } from '../support/terminal.ts';

/** A home folder with two conversations. */
async function twoConversations(): Promise<Record<string, string>> {
  const env = sharedHome();
  for (const prompt of ['which tea is green?', 'how is coffee roasted?']) {
    const { code } = await runInMemory(['--sandbox', prompt], { env });
    expect(code).toBe(0);
  }
  return env;
}

test('--resume alone lists the conversations; a filter and Enter open one', async () => {
  const env = await twoConversations();
  const terminal = openTerminal(['--sandbox', '--resume'], { env });
  await screenWith(terminal, /filter: +1 of 2\n› how is coffee[^]*which tea/);
  terminal.type('green');
  await screenWith(terminal, /filter: green +1 of 1\n› which tea/);
  terminal.type(keys.enter);
  await screenWith(terminal, /: which tea is green\?\n[^]*\nwhich tea is green\? +sandbox/);
  expect(await leave(terminal)).toBe(0);
  expect(await terminal.transcript()).not.toMatch(clears);
});

test('Tab searches the texts, and Esc returns to a new conversation', async () => {
  const env = await twoConversations();
  const terminal = openTerminal(['--sandbox', '--resume'], { env });
  await screenWith(terminal, /filter:/);
  terminal.type(`${keys.tab}roasted`);
  await screenWith(terminal, /search: roasted +1 of 1\n› how is coffee/);
  terminal.type(keys.escape);
  await screenWith(terminal, /› type a prompt[^]*new conversation/);
  expect(await leave(terminal)).toBe(0);
});

test('in line mode the list is numbered, and a number opens a conversation', async () => {
  const env = { ...(await twoConversations()), TERM: 'dumb' };
  const terminal = openTerminal(['--sandbox', '--resume'], { env });
  await terminal.waitFor(/1 how is coffee roasted\?[^]*2 which tea is green\?[^]*Open:/);
  terminal.type('2\r');
  await terminal.waitFor(/natter: [^\n]*which tea is green\?[^]*You:\s*$/);
  expect(await leave(terminal)).toBe(0);
});

describe('a conversation that is open in another natter', () => {
  test('is continued in a copy, or the list is shown again', async () => {
    const env = await twoConversations();
    const first = openTerminal(['--sandbox', '--resume', 'latest'], { env });
    await screenWith(first, /how is coffee roasted\?/);
    const terminal = openTerminal(['--sandbox', '--resume'], { env });
    await screenWith(terminal, /› \[open\] how is coffee/);
    terminal.type(keys.enter);
    await screenWith(terminal, /is open in another natter[^]*\n› 1 continue in a copy\n {2}2 back/);
    terminal.type(keys.escape);
    await screenWith(terminal, /filter: +1 of 2\n› \[open\]/);
    terminal.type(keys.enter);
    await screenWith(terminal, /› 1 continue/);
    terminal.type('1');
    await screenWith(terminal, /: how is coffee roasted\?\n[^]*› type a prompt/);
    expect(await leave(terminal)).toBe(0);
    expect(await terminal.transcript()).not.toContain('--branch');
    await leave(first);
  });

  test('in line mode the choices have numbers', async () => {
    const env = { ...(await twoConversations()), TERM: 'dumb' };
    const first = openTerminal(['--sandbox', '--resume', 'latest'], { env });
    await first.waitFor(/You:\s*$/);
    const terminal = openTerminal(['--sandbox', '--resume'], { env });
    await terminal.waitFor(/Open:/);
    terminal.type('1\r');
    await terminal.waitFor(/1 continue in a copy\s+2 back to the list\s+Choose 1 to 2:/);
    terminal.type('2\r');
    await terminal.waitFor(/Choose 1 to 2:[^]*Open:/);
    terminal.type('1\r');
    await terminal.waitFor(/Open:[^]*Open:[^]*Choose 1 to 2:/);
    terminal.type('1\r');
    await terminal.waitFor(/natter: [^\n]*: how is coffee roasted\?[^]*You:\s*$/);
    expect(await leave(terminal)).toBe(0);
    await leave(first);
  });
});

test('--resume alone without a conversation, or without a terminal, is refused', async () => {
  const env = sharedHome();
  const terminal = openTerminal(['--sandbox', '--resume'], { env });
  expect((await terminal.exit).exitCode).toBe(6);
  const { code, stderr } = await runInMemory(['--sandbox', '--resume'], { env, input: '' });
  expect(code).toBe(2);
  expect(stderr).toContain('natter --resume latest "why is the sky blue?"');
});

test('--resume with the name of several conversations opens the list with that filter', async () => {
  const env = sharedHome();
  for (const prompt of ['tea is hot', 'tea is cold', 'coffee']) {
    await runInMemory(['--sandbox', prompt], { env });
  }
  const terminal = openTerminal(['--sandbox', '--resume', 'tea'], { env });
  await screenWith(terminal, /filter: tea +1 of 2\n› tea is cold[^]*tea is hot/);
  terminal.type(keys.down + keys.enter);
  await screenWith(terminal, /: tea is hot\n[^]*\ntea is hot +sandbox/);
  expect(await leave(terminal)).toBe(0);
});

test('parameters and the role of the command line apply to the chosen conversation', async () => {
  const env = sharedHome();
  const roles = join(env.HOME, '.config', 'natter', 'roles');
  mkdirSync(roles, { recursive: true });
  writeFileSync(join(roles, 'critic.md'), 'Find faults.');
  const first = openTerminal(['--sandbox'], { env });
  await screenWith(first, /›/);
  first.type('tea\r');
  await screenWith(first, /your prompt: tea/);
  first.type('/param temperature=0.5\r');
  await screenWith(first, /temperature is now 0\.5/);
  await leave(first);
  const words = ['--sandbox', '--resume', '--param', 'temperature=0.9', '--role', 'critic'];
  const terminal = openTerminal(words, { env });
  await screenWith(terminal, /filter:/);
  terminal.type(keys.enter);
  await screenWith(terminal, /: tea\n/);
  terminal.type('/param\r');
  await screenWith(terminal, /temperature=0\.9/);
  terminal.type('/role\r');
  await screenWith(terminal, /role is critic/);
  expect(await leave(terminal)).toBe(0);
});

describe('without a service', () => {
  test('the list comes first, the question about the service after the choice', async () => {
    const env = await twoConversations();
    const terminal = openTerminal(['--resume'], { env });
    const list = await screenWith(terminal, /filter: +1 of 2\n› how is coffee/);
    expect(list).not.toContain('no service');
    terminal.type(`green${keys.enter}`);
    await screenWith(terminal, /: which tea is green\?\n[^]*\nno service is configured yet\n› 1/);
    terminal.type('3');
    await screenWith(terminal, /using the sandbox[^]*\nwhich tea is green\? +sandbox/);
    expect(await leave(terminal)).toBe(0);
    expect(await terminal.transcript()).not.toMatch(/no service[^]*filter:/);
  });

  test('Esc leads from the list to the question, as natter alone does', async () => {
    const env = await twoConversations();
    const terminal = openTerminal(['--resume'], { env });
    await screenWith(terminal, /filter:/);
    terminal.type(keys.escape);
    await screenWith(terminal, /^no service is configured yet\n› 1/m);
    terminal.type(keys.escape);
    await screenWith(terminal, /using the sandbox[^]*new conversation/);
    expect(await leave(terminal)).toBe(0);
  });

  test('in line mode the numbered list comes first, too', async () => {
    const env = { ...(await twoConversations()), TERM: 'dumb' };
    const terminal = openTerminal(['--resume'], { env });
    expect(await terminal.waitFor(/Open:/)).not.toContain('no service');
    terminal.type('2\r');
    await terminal.waitFor(/natter: [^\n]*which tea is green\?[^]*no service[^]*Choose 1 to 3:/);
    terminal.type('3\r');
    await terminal.waitFor(/using the sandbox[^]*You:\s*$/);
    expect(await leave(terminal)).toBe(0);
  });
});
