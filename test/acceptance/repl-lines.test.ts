import { describe, expect, test } from 'vitest';
import { keys, leave, sharedHome } from '../support/repl-terminal.ts';
import { runInMemory } from '../support/in-memory.ts';
import { openTerminal } from '../support/terminal.ts';

const dumb = { TERM: 'dumb' };

test('NATTER_ACCESSIBLE is true or false', async () => {
  const run = (value: string) =>
    runInMemory(['--sandbox', 'hi'], { env: { NATTER_ACCESSIBLE: value } });
  expect(await run('maybe')).toMatchObject({
    code: 3,
    stderr: 'natter: NATTER_ACCESSIBLE must be true or false\n',
  });
  expect(await run('false')).toMatchObject({ code: 0 });
});

describe('line mode', () => {
  test.each([
    ['--accessible', ['--sandbox', '--accessible'], {}],
    ['--screen-reader', ['--sandbox', '--screen-reader'], {}],
    ['NATTER_ACCESSIBLE', ['--sandbox'], { NATTER_ACCESSIBLE: '1' }],
    ['TERM=dumb', ['--sandbox'], dumb],
  ])('T19 %s prints labelled lines without escape sequences', async (_name, words, env) => {
    const terminal = openTerminal(words, { env });
    await terminal.waitFor(/^You: $|^You:$/m);
    terminal.type('[sandbox echo] hello\n');
    await terminal.waitFor(/You: \[sandbox echo\] hello\norigin: hello\nYou:/);
    expect(await leave(terminal)).toBe(0);
    expect(terminal.output()).not.toContain('\u001B');
  });

  test.each([
    ['--accessible', ['--accessible'], {}, 'Heading 1: Two\nthree'],
    ['TERM=dumb', [], dumb, 'Heading 1: Two\nthree'],
    ['--accessible and --plain', ['--accessible', '--plain'], {}, '# Two\n*three*'],
  ])('a single answer with %s is read in the same way', async (_name, words, env, text) => {
    const terminal = openTerminal(['--sandbox', ...words, '[sandbox echo] # Two\n*three*'], {
      env,
    });
    expect((await terminal.exit).exitCode).toBe(0);
    expect(await terminal.transcript()).toContain(text);
    expect(await terminal.transcript()).toMatch(/^origin, \d+ tokens in, /m);
  });

  test('P7 Ctrl+C stops an answer, and quits when pressed twice more', async () => {
    const terminal = openTerminal(['--sandbox', '--accessible']);
    await terminal.waitFor(/You:/);
    terminal.type('[sandbox tokens=2000 rate=50]\n');
    await terminal.waitFor(/origin: \w+/);
    terminal.type(keys.interrupt);
    await terminal.waitFor(/natter: stopped; \/continue resumes it\nYou:/);
    terminal.type(keys.interrupt);
    await terminal.waitFor(/press Ctrl\+C again to quit/);
    terminal.type(keys.interrupt);
    expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 });
  });

  test('lines pasted together form one prompt, as do lines that end with a backslash', async () => {
    const terminal = openTerminal(['--sandbox', '--accessible']);
    await terminal.waitFor(/You:/);
    terminal.type('[sandbox echo] one\ntwo\n');
    await terminal.waitFor(/origin: one\ntwo\nYou:/);
    terminal.type('[sandbox echo] three\\\n');
    terminal.type('four\n');
    await terminal.waitFor(/origin: three\nfour\nYou:/);
    terminal.type('[sandbox echo] five\nsix');
    await terminal.waitFor(/five\nsix/);
    terminal.type(' and seven\n');
    await terminal.waitFor(/origin: five\nsix and seven\nYou:/);
    terminal.type('[sandbox echo] eight\nnine');
    await terminal.waitFor(/eight\nnine/);
    terminal.type(keys.interrupt);
    await terminal.waitFor(/nine\nYou:/);
    terminal.type('[sandbox echo] ten\n');
    await terminal.waitFor(/origin: ten\nYou:/);
    expect(await leave(terminal)).toBe(0);
  });

  test('X29: arrow keys edit the line, and their sequences do not get into the prompt', async () => {
    const terminal = openTerminal(['--sandbox', '--accessible'], { env: sharedHome() });
    await terminal.waitFor(/You:/);
    terminal.type('[sandbox echo] helo');
    terminal.type('\u001B[Dl\u001B[F!\r');
    await terminal.waitFor(/^You: \[sandbox echo\] hello!\norigin: hello!\nYou:/m);
    terminal.type(keys.up);
    await terminal.waitFor(/^origin: hello!\nYou: \[sandbox echo\] hello!$/m);
    terminal.type(' again\r');
    await terminal.waitFor(/^origin: hello! again\nYou:/m);
    expect(await leave(terminal)).toBe(0);
    expect(terminal.output()).not.toContain('\u001B');
  });

  test('X29: on a dumb terminal an escape sequence does not get into the prompt', async () => {
    const terminal = openTerminal(['--sandbox'], { env: dumb });
    await terminal.waitFor(/You:/);
    terminal.type('[sandbox echo] he\u001B[Dllo\n');
    await terminal.waitFor(/^origin: hello\nYou:/m);
    expect(await leave(terminal)).toBe(0);
  });

  test('the first prompt is sent after the choice of a service', async () => {
    const terminal = openTerminal(['-i', '/tea is hot'], { env: { ...dumb, ...sharedHome() } });
    await terminal.waitFor(/Choose 1 to 3:/);
    terminal.type('3\n');
    await terminal.waitFor(/using the sandbox[^]*\nYou: \/tea is hot\norigin: [^]*\nYou:/);
    expect(await leave(terminal)).toBe(0);
  });
});
