import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { clears, keys, leave, openRepl, paste, screenWith } from '../support/repl-terminal.ts';

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
