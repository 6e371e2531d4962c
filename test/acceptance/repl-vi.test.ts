import { describe, expect, test } from 'vitest';
import { keys, leave, openRepl, screenWith } from '../support/repl-terminal.ts';

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
