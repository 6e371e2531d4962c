import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { expectFailure, runInMemory } from '../support/in-memory.ts';
import {
  clears,
  keys,
  leave,
  openRepl,
  openTerminal,
  paste,
  screenWith,
  sharedHome,
} from '../support/terminal.ts';

describe('the REPL', () => {
  test('prints the answer to a prompt, and waits for the next one', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox echo] hello${keys.enter}`);
    const text = await terminal.waitFor(
      /› \[sandbox echo\] hello\n\nhello\n\norigin · .* tokens?\n/,
    );
    expect(text).toContain('sandbox  origin');
    terminal.type(keys.end);
    expect(await terminal.exit).toEqual({ exitCode: 0, signal: 0 });
    // The cursor has a shape only with editing=vi.
    expect(terminal.output()).not.toMatch(/\u001B\[\d q/);
    expect(await terminal.transcript()).toMatch(/natter --resume \w+ reopens/);
  });

  test('T21 an answer longer than the window is complete in the scrollback, and nothing is cleared', async () => {
    const terminal = await openRepl(['--sandbox'], { rows: 10 });
    terminal.type(`[sandbox tokens=1500 rate=1500]${keys.enter}`);
    await terminal.waitFor(/› type a prompt\n[^]*1\.5K\/128K/);
    expect(await leave(terminal)).toBe(0);
    // oxlint-disable-next-line no-control-regex
    expect(terminal.output()).toMatch(/\u001B\[1mEsc\u001B\[22m\u001B\[2m stops/);
    expect(terminal.output()).not.toMatch(clears);
    const text = await terminal.transcript();
    expect(text.match(/Esc stops/)).toBeNull();
    expect(text.match(/›/g)).toHaveLength(1);
  });

  test('an unsent draft survives a kill', async () => {
    const env = sharedHome();
    const first = await openRepl(['--sandbox'], { env, cwd: env.HOME });
    first.type('a thought that is not finished');
    const drafts = join(env.HOME, '.local/state/natter/drafts');
    await vi.waitUntil(() => textsIn(drafts).includes('a thought that is not finished'), {
      timeout: 60_000,
    });
    first.kill('SIGKILL');
    await first.exit;
    const second = await openRepl(['--sandbox'], { env, cwd: env.HOME });
    // R7: it is announced.
    await screenWith(
      second,
      /unsent draft of your last session here is back[^]*› a thought that is not finished/,
    );
    second.type(keys.interrupt + keys.interrupt + keys.interrupt);
    expect((await second.exit).exitCode).toBe(0);
  });
});

/** The text of all files in a folder; empty if it does not exist yet. */
function textsIn(folder: string): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
}

const [bar, block, ordinary] = ['\u001B[6 q', '\u001B[2 q', '\u001B[0 q'];

test('editing=vi edits a prompt with the keys of vi, shows the mode, and resets the cursor', async () => {
  const terminal = await openRepl(['--sandbox'], { env: { NATTER_EDITING: 'vi' } });
  terminal.type('[sandbox echo] one two three');
  await screenWith(terminal, /INSERT/);
  terminal.type(keys.escape);
  await screenWith(terminal, /NORMAL/);
  terminal.type('bcwfour');
  await screenWith(terminal, /› \[sandbox echo\] one two four/);
  terminal.type(keys.escape);
  await screenWith(terminal, /NORMAL/);
  terminal.type('ZZ');
  await screenWith(terminal, /press Enter to quit/);
  terminal.type(keys.enter);
  expect((await terminal.exit).exitCode).toBe(0);
  const output = terminal.output();
  expect(output).toContain(bar);
  expect(output).toContain(block);
  expect(output.lastIndexOf(ordinary)).toBeGreaterThan(output.lastIndexOf(block));
  expect(await terminal.modes()).toEqual({ bracketedPaste: false, cursorHidden: false });
});

const spoken = Array.from({ length: 120 }, (_, index) => `word${index}`).join(' ');

test('keys, pastes and menus during an answer do not change its text', async () => {
  const terminal = await openRepl(['--sandbox'], { columns: 60 });
  terminal.type(`[sandbox echo rate=40] ${spoken}\r`);
  await screenWith(terminal, /^word0 word1/m);
  for (const typed of ['a draft', ' é日', keys.up, keys.down, paste('pasted text')]) {
    terminal.type(typed);
    await sleep(50);
  }
  await screenWith(terminal, /Esc stops[^]*› a draft é日pasted text/);
  terminal.type('\u0015/he');
  await screenWith(terminal, /Esc stops[^]*› \/he[^]*\/help/);
  terminal.type('\u0015');
  terminal.type(`[sandbox echo] queued${keys.enter}`);
  await screenWith(terminal, /\nqueued\n/);
  const [, shown = ''] = /\n(word0 [^]*?word119)\n/.exec(await terminal.transcript()) ?? [];
  expect(shown.replaceAll(/\s+/g, ' ')).toBe(spoken);
  expect(terminal.output()).not.toMatch(clears);
  expect(await leave(terminal)).toBe(0);
});

const withShell = { SHELL: '/bin/sh' };

describe.runIf(process.platform !== 'win32')('a command for the shell', () => {
  test('shows its output as it arrives, and Esc ends it with all that it started', async () => {
    const terminal = await openRepl(['--sandbox'], { env: withShell });
    terminal.type('!');
    terminal.type(`sleep 600 & echo $!; printf 'not yet'; wait${keys.enter}`);
    const screen = await screenWith(terminal, /^\d+\nnot yet[^]*running sleep/m);
    const sleeping = Number(/^(\d+)\nnot yet/m.exec(screen)?.[1]);
    terminal.type(keys.escape);
    await terminal.waitFor(/not yet\n.*stopped; \d+ bytes of output are attached/);
    const stateOf = () => {
      try {
        return readFileSync(`/proc/${sleeping}/stat`, 'utf8').split(' ')[2];
      } catch {
        return 'ended';
      }
    };
    await expect.poll(stateOf).toMatch(/^(?:Z|ended)$/);
    expect(await leave(terminal)).toBe(0);
  });
});

test('--resume alone without a conversation, or without a terminal, is refused', async () => {
  const env = sharedHome();
  const terminal = openTerminal(['--sandbox', '--resume'], { env });
  expect((await terminal.exit).exitCode).toBe(6);
  const result = await runInMemory(['--sandbox', '--resume'], { env, input: '' });
  expectFailure(result, 2, 'natter --resume latest "why is the sky blue?"');
});

test('without a service the list comes first, the question about the service after the choice', async () => {
  const env = sharedHome();
  for (const prompt of ['which tea is green?', 'how is coffee roasted?']) {
    expect(await runInMemory(['--sandbox', prompt], { env })).toMatchObject({ code: 0 });
  }
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

const dumb = { TERM: 'dumb' };

describe('line mode', () => {
  test.each([
    ['--accessible', ['--sandbox', '--accessible'], {}],
    ['--screen-reader', ['--sandbox', '--screen-reader'], {}],
    ['NATTER_ACCESSIBLE', ['--sandbox'], { NATTER_ACCESSIBLE: '1' }],
    ['TERM=dumb', ['--sandbox'], dumb],
  ])('T19 %s prints labelled lines without escape sequences', async (_name, words, env) => {
    const window = { NATTER_PROGRESS: 'on', NATTER_NOTIFY: 'osc9', NATTER_NOTIFY_AFTER: '0' };
    const terminal = openTerminal(words, { env: { ...window, ...env } });
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

  test('the first prompt is sent after the choice of a service', async () => {
    const terminal = openTerminal(['-i', '/tea is hot'], { env: { ...dumb, ...sharedHome() } });
    await terminal.waitFor(/Choose 1 to 3:/);
    terminal.type('3\n');
    await terminal.waitFor(/using the sandbox[^]*\nYou: \/tea is hot\norigin: [^]*\nYou:/);
    expect(await leave(terminal)).toBe(0);
  });
});
