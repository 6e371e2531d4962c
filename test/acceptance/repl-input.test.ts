import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import {
  clears,
  keys,
  leave,
  openRepl,
  paste,
  screenWith,
  sharedHome,
} from '../support/repl-terminal.ts';
import { openTerminal } from '../support/terminal.ts';

test('X15: Tab after /resume reports why the conversations cannot be read', async () => {
  const data = mkdtempSync(join(tmpdir(), 'natter-data-'));
  writeFileSync(join(data, 'conversations'), 'not a folder');
  const terminal = await openRepl(['--sandbox'], { env: { NATTER_DATA_DIR: data } });
  terminal.type(`/resume ${keys.tab}`);
  await screenWith(terminal, /cannot read \S+conversations[^]*› \/resume/);
  terminal.type(keys.interrupt);
  expect(await leave(terminal)).toBe(0);
});

test('X16: Ctrl+G twice in one read opens one editor, and later keys are typed afterwards', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-editor-'));
  const log = join(folder, 'log');
  const editor = join(folder, 'editor');
  writeFileSync(editor, `#!/bin/sh\necho opened >> ${log}\necho " edited" >> "$1"\n`);
  chmodSync(editor, 0o700);
  const terminal = await openRepl(['--sandbox'], { env: { VISUAL: editor } });
  terminal.type('draft');
  await screenWith(terminal, /› draft/);
  terminal.type(`${keys.editor}${keys.editor}!`);
  await screenWith(terminal, /› draft edited!/);
  expect(readFileSync(log, 'utf8')).toBe('opened\n');
  terminal.type(keys.interrupt);
  expect(await leave(terminal)).toBe(0);
});

describe('X17: a command', () => {
  test('and a prompt that arrive together are both run', async () => {
    const terminal = await openRepl();
    terminal.type('/usage\r[sandbox echo] tell me\r');
    await terminal.waitFor(/0 answers in this session[^]*\ntell me\n/);
    expect(await leave(terminal)).toBe(0);
  });

  test('with further lines is refused, and its text is kept', async () => {
    const terminal = await openRepl();
    terminal.type('/usage\n');
    terminal.type('tell me');
    await screenWith(terminal, /› \/usage\n {2}tell me/);
    terminal.type(keys.enter);
    await screenWith(terminal, /\/usage takes one line[^]*› \/usage\n {2}tell me/);
    terminal.type(keys.interrupt);
    expect(await leave(terminal)).toBe(0);
  });
});

test('X31: after Esc, a queued prompt is sent once a later prompt is answered', async () => {
  const terminal = await openRepl();
  terminal.type(`[sandbox tokens=2000 rate=100]${keys.enter}`);
  await screenWith(terminal, /tokens · Esc stops/);
  terminal.type(keys.escape);
  await terminal.waitFor(/stopped; \/continue resumes it/);
  terminal.type(`[sandbox tokens=60 rate=20]${keys.enter}`);
  await screenWith(terminal, /tokens · Esc stops/);
  terminal.type(`[sandbox echo] queued${keys.enter}`);
  await terminal.waitFor(/\nqueued\n/);
  expect(await leave(terminal)).toBe(0);
});

test('Y17: a prompt typed at the choice of a service becomes the first prompt, on the sandbox', async () => {
  const { HOME } = sharedHome();
  const terminal = openTerminal([], { env: { HOME } });
  await screenWith(terminal, /no service is configured yet[^]*or type a prompt/);
  terminal.type('[sandbox ec');
  terminal.type('ho] hello');
  await screenWith(terminal, /using the sandbox[^]*› \[sandbox echo\] hello/);
  terminal.type(keys.enter);
  await terminal.waitFor(/\nhello\n/);
  expect(await leave(terminal)).toBe(0);
});

const stash = '\u0013';

test('Ctrl+S puts a draft aside, which returns after the next prompt', async () => {
  const terminal = await openRepl();
  terminal.type('a long draft');
  await screenWith(terminal, /› a long draft/);
  terminal.type(stash);
  await screenWith(terminal, /Ctrl\+S restores the stashed draft/);
  terminal.type('[sandbox echo] quick');
  await screenWith(terminal, /after this prompt: the stashed draft/);
  terminal.type(keys.enter);
  await screenWith(terminal, /· 1 token\s*\n[^]*› a long draft/);
  terminal.type(keys.interrupt);
  await screenWith(terminal, /press Ctrl\+C again to quit/);
  terminal.type(keys.interrupt);
  expect((await terminal.exit).exitCode).toBe(0);
});

test('a draft that is put aside survives a kill', async () => {
  const env = sharedHome();
  const first = await openRepl(['--sandbox'], { env });
  first.type('a long draft');
  await screenWith(first, /› a long draft/);
  first.type(stash);
  await screenWith(first, /the stashed draft/);
  first.kill('SIGKILL');
  await first.exit;
  const second = await openRepl(['--sandbox'], { env });
  const shown = await screenWith(second, /› (?:a long draft|type a prompt)/);
  if (!shown.includes('a long draft')) second.type(keys.up);
  await screenWith(second, /› a long draft/);
  second.type(keys.interrupt);
  expect(await leave(second)).toBe(0);
});

test('a key of the profile opens the search', async () => {
  const env = sharedHome();
  const set = await runInMemory(['config', 'set', 'keys.search-start', 'f4'], { env });
  expect(set).toMatchObject({
    code: 0,
    stderr: 'natter: keys.search-start is set to f4 in profile default\n',
  });
  const taken = await runInMemory(['config', 'set', 'keys.undo', 'f4'], { env });
  expect([taken.code, taken.stderr.split('\n')[0]]).toEqual([
    2,
    'natter: f4 of undo is the key of search-start, too',
  ]);
  const listed = await runInMemory(['config', 'keys'], { env });
  expect(listed.stdout).toContain('search-start\tF4\tprofile default\t');
  const terminal = await openRepl(['--base-url', 'http://127.0.0.1:9'], { env });
  terminal.type('\u001BOS');
  await screenWith(terminal, /history:/);
  terminal.type(keys.interrupt);
  expect(await leave(terminal)).toBe(0);
});

const bar = '\u001B[6 q';
const block = '\u001B[2 q';
const ordinary = '\u001B[0 q';

describe('editing=vi', () => {
  test('edits a prompt with the keys of vi, shows the mode, and resets the cursor', async () => {
    const terminal = await openRepl(['--sandbox'], { env: { NATTER_EDITING: 'vi' } });
    terminal.type('[sandbox echo] one two three');
    await screenWith(terminal, /INSERT/);
    terminal.type(keys.escape);
    await screenWith(terminal, /NORMAL/);
    terminal.type('bcwfour');
    await screenWith(terminal, /› \[sandbox echo\] one two four/);
    terminal.type(keys.escape);
    await screenWith(terminal, /NORMAL/);
    terminal.type('vb');
    await screenWith(terminal, /VISUAL/);
    terminal.type('d');
    await screenWith(terminal, /› \[sandbox echo\] one two\s*\nNORMAL/);
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

  test('the cursor keeps its shape without it', async () => {
    const terminal = await openRepl();
    expect(await leave(terminal)).toBe(0);
    expect(terminal.output()).not.toMatch(/\u001B\[\d q/);
  });
});

const words = Array.from({ length: 120 }, (_, index) => `word${index}`).join(' ');
const answer = `[sandbox echo rate=40] ${words}`;

/** The answer as the transcript has it, its rows joined. */
function answerIn(transcript: string): string {
  return /\n(word0 [^]*?word119)\n/.exec(transcript)?.[1]?.replaceAll(/\s+/g, ' ') ?? '';
}

test('keys, pastes and menus during an answer do not change its text', async () => {
  const terminal = await openRepl(['--sandbox'], { columns: 60 });
  terminal.type(`${answer}\r`);
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
  expect(answerIn(await terminal.transcript())).toBe(words);
  expect(terminal.output()).not.toMatch(clears);
  expect(await leave(terminal)).toBe(0);
});

test('in plain lines, text typed during an answer appears with the next question', async () => {
  const terminal = openTerminal(['--sandbox', '--accessible'], { columns: 60 });
  await terminal.waitFor(/You:/);
  terminal.type(`${answer}\r`);
  await terminal.waitFor(/origin: word0/);
  terminal.type('[sandbox echo] ahead');
  await terminal.waitFor(/word119\nYou: \[sandbox echo\] ahead/);
  const [, shown = ''] = /origin: (word0[^]*?word119)\n/.exec(await terminal.transcript()) ?? [];
  expect(shown.replaceAll(/\s+/g, ' ')).toBe(words);
  terminal.type(keys.enter);
  await terminal.waitFor(/origin: ahead\nYou:/);
  expect(await leave(terminal)).toBe(0);
});
