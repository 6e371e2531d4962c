import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clears, keys, leave, openRepl, screenWith, sharedHome } from '../support/repl-terminal.ts';

const count = (text: string, part: string) => text.split(part).length - 1;

describe('the screen of the REPL', () => {
  test('is redrawn by Ctrl+L, without repeating or erasing the scrollback', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox echo] needle${keys.enter}`);
    const before = count(await terminal.waitFor(/\nneedle\n\norigin · /), 'needle');
    for (let times = 0; times < 3; times += 1) terminal.type(`${keys.redraw}x`);
    await screenWith(terminal, /› xxx\n/);
    expect(count(await terminal.transcript(), 'needle')).toBe(before);
    expect(terminal.output()).not.toMatch(clears);
    terminal.type(keys.interrupt);
    expect(await leave(terminal)).toBe(0);
  });

  test('opens the menu of commands with the slash, and closes it with Esc', async () => {
    const terminal = await openRepl();
    terminal.type('/');
    const screen = await screenWith(terminal, /› \/help \[name\] .*\n {2}\/retry \[model\]/);
    expect(screen).toMatch(/ 1\/\d+ ↓\n/);
    terminal.type('vers');
    await screenWith(terminal, /› \/vers\n› \/version \[n\] [^\n]*\n {2}\/conversations /);
    terminal.type(keys.escape);
    await screenWith(terminal, /› \/vers\nnew conversation/);
    terminal.type(keys.interrupt);
    expect(await leave(terminal)).toBe(0);
  });

  test('turns a spinner while an answer streams, and none afterwards', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox tokens=60 rate=30]${keys.enter}`);
    await terminal.waitFor(/\norigin · .* tokens\n/);
    const frames = new Set(terminal.output().match(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g));
    expect(frames.size).toBeGreaterThan(3);
    expect(await terminal.transcript()).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
    expect(await leave(terminal)).toBe(0);
  });

  test('continues the row of an item whose end is not decided', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox echo stall-after=8] - one two of it.\n- more${keys.enter}`);
    await screenWith(terminal, /\n• one two of it\.\n-\n\n/);
    terminal.type(keys.escape);
    await terminal.waitFor(/\/continue resumes it/);
    expect(await leave(terminal)).toBe(0);
  });

  test('keeps each row of a table on one row of a narrow window', async () => {
    const terminal = await openRepl(['--sandbox'], { columns: 44 });
    terminal.type(`[sandbox echo] a title that is longer than the window${keys.enter}`);
    await terminal.waitFor(/\norigin · .* tokens\n/);
    terminal.type(`/conversations${keys.enter}`);
    const transcript = await terminal.waitFor(/\/resume with an id/);
    expect(transcript).toMatch(/TITLE\n[^\n]*…\n\/resume with/);
    expect(await leave(terminal)).toBe(0);
  });

  test('shows the caret, and weights but no colours, with NO_COLOR', async () => {
    const terminal = await openRepl(['--sandbox'], { env: { NO_COLOR: '1' } });
    terminal.type(`/theme light${keys.enter}`);
    await terminal.waitFor(/the theme is light/);
    terminal.type(`[sandbox echo] **bold** and *italic*${keys.enter}`);
    await terminal.waitFor(/\nbold and italic\n/);
    terminal.type('draft');
    await screenWith(terminal, /› draft/);
    expect((await terminal.modes()).cursorHidden).toBe(false);
    // oxlint-disable-next-line no-control-regex
    const codes = [...terminal.output().matchAll(/\u001B\[([\d;]+)m/g)].map(([, code]) => code);
    // Bold, dim and italic are not colours.
    expect(new Set(codes)).toEqual(new Set(['0', '1', '2', '22', '3', '23']));
    terminal.type(keys.interrupt);
    expect(await leave(terminal)).toBe(0);
  });

  test('uses only colours that are readable on a light theme', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox markdown]${keys.enter}`);
    await terminal.waitFor(/the last fence is never closed[^]*›/);
    terminal.type(`/nonsense${keys.enter}`);
    await terminal.waitFor(/unknown command/);
    // oxlint-disable-next-line no-control-regex
    const looks = terminal.output().matchAll(/\u001B\[([\d;]*)m/g);
    const codes = new Set([...looks].flatMap(([, code = '']) => code.split(';')).map(Number));
    const whiteBlackOrBackground = [...codes].filter(
      (code) => code === 30 || code === 37 || (code >= 40 && code !== 49),
    );
    expect(codes.size).toBeGreaterThan(3);
    expect(whiteBlackOrBackground).toEqual([]);
    terminal.type(keys.interrupt);
    expect(await leave(terminal)).toBe(0);
  });

  test('lets the terminal wrap prose with NATTER_WRAP=none, so that a copied line is complete', async () => {
    const env = { NATTER_WRAP: 'none' };
    const terminal = await openRepl(['--sandbox'], { columns: 40, env });
    const sentence = `${'many words '.repeat(12)}end`;
    terminal.type(`[sandbox echo] ${sentence}${keys.enter}`);
    await terminal.waitFor(/end\n\norigin · /);
    expect((await terminal.copied()).split('\n')).toContain(sentence);
    expect(await leave(terminal)).toBe(0);
  });

  test('/save expands ~, accepts any file name, and overwrites nothing', async () => {
    const env = sharedHome();
    const terminal = await openRepl(['--sandbox'], { env });
    terminal.type(`[sandbox echo] käse 🧀${keys.enter}`);
    await terminal.waitFor(/\nkäse 🧀\n/);
    terminal.type(`/save ~/cheese.weird${keys.enter}`);
    await terminal.waitFor(/the last answer was\s+written to/);
    terminal.type(`/save ~/cheese.weird${keys.enter}`);
    await terminal.waitFor(/choose another name/);
    expect(await terminal.copied()).toMatch(/cheese\.weird: it\s+already\s+exists\n/);
    expect(readFileSync(join(env.HOME, 'cheese.weird'), 'utf8')).toBe('käse 🧀');
    expect(await leave(terminal)).toBe(0);
  });
});
