import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderOf } from '../support/folder.ts';
import { openHeldSandbox } from '../support/held-sandbox.ts';
import { runInMemory } from '../support/in-memory.ts';
import { openTerminal, type TerminalOptions } from '../support/terminal.ts';
import { openColorProfile } from '../support/profiles.ts';

const fields = ['--schema', 'name, age int'];

test('a terminal shows the value without escape sequences, then the figures of all answers', async () => {
  const words = ['--sandbox', ...fields, '[sandbox misfit] who?'];
  const session = openTerminal(words);
  const { exitCode } = await session.exit;
  const text = await session.transcript();
  expect(text).toMatch(/\{\n {2}"name": "sample",\n {2}"age": 1\n\}\norigin · \d+ tokens in/);
  expect(exitCode).toBe(0);
});

const escape = '\u001B';

async function transcriptOf(words: readonly string[], options: TerminalOptions = {}) {
  const session = openTerminal(['--sandbox', ...words], options);
  const { exitCode } = await session.exit;
  return { exitCode, text: await session.transcript(), output: session.output() };
}

describe('an answer on a terminal', () => {
  test('is styled Markdown, with model, tokens and time on the last line', async () => {
    const { text, output, exitCode } = await transcriptOf(['[sandbox markdown]']);
    expect(exitCode).toBe(0);
    expect(text).not.toContain('**strong**');
    expect(text).toContain('strong');
    expect(output).toContain(`${escape}[1m`);
    expect(text.split('\n').at(-1)).toMatch(/^origin · \d+ tokens in, \d+ out · [\d.]+ s/);
  });

  test('T19 NO_COLOR and TERM=dumb print no escape sequences, even during waits and retries', async () => {
    const prompt = '[sandbox 500 times=1 delay=600ms] [not a group] **bold**';
    const plain = await transcriptOf([prompt], { env: { NO_COLOR: '1' } });
    const dumb = await transcriptOf([prompt], { env: { TERM: 'dumb' } });
    expect(plain.output).not.toContain(escape);
    expect(dumb.output).not.toContain(escape);
    expect(plain.text).toContain('This is the natter sandbox');
    expect(dumb.text).toContain('retry 1 of 4');
  });

  test('T17 --raw passes escape sequences to the terminal, with a warning', async () => {
    const { text, output } = await transcriptOf(['--raw', `[sandbox echo] a${escape}[31mred`]);
    expect(text).toContain('warning: --raw lets the answer control this terminal');
    expect(output).toContain(`${escape}[31mred`);
  });
});

test('waiting on a terminal shows the model until the first token, and is removed', async () => {
  const held = await openHeldSandbox();
  const session = openTerminal(['[sandbox delay=1500ms] hello'], { env: held.env });
  await session.waitFor(/waiting for origin · .*Ctrl\+C stops/);
  held.release();
  await session.exit;
  expect(await session.transcript()).not.toContain('waiting for');
});

test('on a terminal without a configured service the sandbox answers, with a notice', async () => {
  const session = openTerminal(['hello']);
  expect((await session.exit).exitCode).toBe(0);
  expect(await session.transcript()).toMatch(/no service is configured; using the sandbox/);
});

test('on a terminal without a configured service a batch fills no file with answers of the sandbox', async () => {
  const folder = folderOf({ 'prompts.txt': 'hello\n' });
  const [input, output] = [join(folder, 'prompts.txt'), join(folder, 'answers.jsonl')];
  const session = openTerminal(['batch', input, '-o', output]);
  expect((await session.exit).exitCode).toBe(3);
  expect(await session.transcript()).toMatch(/no service is configured/);
  expect(readdirSync(folder)).toEqual(['prompts.txt']);
});

const prompt =
  '[sandbox echo rate=200] - one two three four five six\n\n> seven eight nine ten eleven';

test('an answer on a terminal is wrapped between words; with --wrap none by the terminal', async () => {
  const terminal = openTerminal(['--sandbox', prompt], { columns: 22 });
  await terminal.exit;
  const rows = '• one two three four\n  five six\n\n│ seven eight nine ten\n│ eleven';
  expect(await terminal.transcript()).toContain(rows);
  const unwrapped = openTerminal(['--sandbox', '--wrap', 'none', prompt], { columns: 22 });
  await unwrapped.exit;
  expect(await unwrapped.copied()).toContain('• one two three four five six\n');
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
  const idle = 'natter --every';
  expect(titlesIn(session.output())).toEqual([`line 1 - ${idle}`, idle, `line 2 - ${idle}`, idle]);
  expect(session.output()).toContain('\u001B]9;4;3;');
  expect(session.output().endsWith(putBack)).toBe(true);
});

const own = '\u001B[38;2;255;95;175mcode\u001B[39m';

test('a colour of the profile applies to single answers, except without colours', async () => {
  const env = await openColorProfile();
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

test('stored answers have the colours of the profile, whose theme may not exist', async () => {
  const env = await openColorProfile();
  await runInMemory(['[sandbox echo] a `code`'], { env });
  const colored = openTerminal(['last'], { env });
  await colored.exit;
  expect(colored.output()).toContain(own);
  const terminal = openTerminal(['last'], { env: { ...env, NATTER_THEME: 'pink' } });
  expect((await terminal.exit).exitCode).toBe(0);
  expect(await terminal.transcript()).toMatch(/NATTER_THEME must be[^]*has the default theme/);
  expect(await terminal.transcript()).toContain('a code');
});

/** Keeps this process busy, as a loaded machine does. */
function keepBusy(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test.skipIf(process.platform === 'win32')(
  'Y32: natter has written all output of a comparison when it ends, even to a slow terminal',
  async () => {
    const session = openTerminal(['compare', '--sandbox', '--diff', '[sandbox hostile] hi'], {
      columns: 120,
      env: { NO_COLOR: '1' },
    });
    await session.waitFor(/origin/);
    keepBusy(1500);
    expect((await session.exit).exitCode).toBe(0);
    expect(session.output()).toMatch(/not shown; a pipe gets them unchanged\r\n$/);
  },
);
