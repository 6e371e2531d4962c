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
});

test('--resume alone without a conversation, or without a terminal, is refused', async () => {
  const env = sharedHome();
  const terminal = openTerminal(['--sandbox', '--resume'], { env });
  expect((await terminal.exit).exitCode).toBe(6);
  const { code, stderr } = await runInMemory(['--sandbox', '--resume'], { env, input: '' });
  expect(code).toBe(2);
  expect(stderr).toContain('natter --resume latest "why is the sky blue?"');
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
});
