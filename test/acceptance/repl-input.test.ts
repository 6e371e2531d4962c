import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keys, leave, openRepl, screenWith, sharedHome } from '../support/repl-terminal.ts';
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
