import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clears, keys, leave, openRepl, screenWith, sharedHome } from '../support/repl-terminal.ts';

const count = (text: string, part: string) => text.split(part).length - 1;

describe('the screen of the REPL', () => {
  test('is redrawn by Ctrl+L, without repeating or erasing the scrollback', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox echo] needle${keys.enter}`);
    const before = count(await terminal.waitFor(/\nneedle\n\n›/), 'needle');
    for (let times = 0; times < 3; times += 1) terminal.type(`${keys.redraw}x`);
    await screenWith(terminal, /› xxx\n/);
    expect(count(await terminal.transcript(), 'needle')).toBe(before);
    expect(terminal.output()).not.toMatch(clears);
    terminal.type(keys.interrupt);
    expect(await leave(terminal)).toBe(0);
  });

  test('shows the caret but no colours with NO_COLOR', async () => {
    const terminal = await openRepl(['--sandbox'], { env: { NO_COLOR: '1' } });
    terminal.type(`[sandbox echo] plain${keys.enter}`);
    await terminal.waitFor(/\nplain\n/);
    terminal.type('draft');
    await screenWith(terminal, /› draft/);
    expect((await terminal.modes()).cursorHidden).toBe(false);
    // oxlint-disable-next-line no-control-regex
    expect(terminal.output()).not.toMatch(/\u001B\[[\d;]*[1-9][\d;]*m/);
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
    expect(await leave(terminal)).toBe(0);
  });

  test('lets the terminal wrap prose, so that a copied line is complete', async () => {
    const terminal = await openRepl(['--sandbox'], { columns: 40 });
    const sentence = `${'many words '.repeat(12)}end`;
    terminal.type(`[sandbox echo] ${sentence}${keys.enter}`);
    await terminal.waitFor(/end\n\n›/);
    expect((await terminal.copied()).split('\n')).toContain(sentence);
    expect(await leave(terminal)).toBe(0);
  });

  test('/save expands ~, accepts any file name, and overwrites nothing', async () => {
    const env = sharedHome();
    const terminal = await openRepl(['--sandbox'], { env });
    terminal.type(`[sandbox echo] käse 🧀${keys.enter}`);
    await terminal.waitFor(/\nkäse 🧀\n/);
    terminal.type(`/save ~/cheese.weird${keys.enter}`);
    await terminal.waitFor(/the last answer written to/);
    terminal.type(`/save ~/cheese.weird${keys.enter}`);
    await terminal.waitFor(/choose another name/);
    expect(await terminal.copied()).toContain('cheese.weird: it already exists\n');
    expect(readFileSync(join(env.HOME, 'cheese.weird'), 'utf8')).toBe('käse 🧀');
    expect(await leave(terminal)).toBe(0);
  });
});
