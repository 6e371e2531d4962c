import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { clears, keys, leave, openRepl, screenWith } from '../support/repl-terminal.ts';
import { openTerminal } from '../support/terminal.ts';

/** What brings a terminal back: bracketed paste, keyboard protocols, the cursor. */
const restored = /\u001B\[>4;0m[^]*\u001B\[<u[^]*\u001B\[\?2004l[^]*\u001B\[\?25h/;

/** An editor that adds a line and tells what of its environment it sees. */
function editorScript(line: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'natter-editor-')), 'editor');
  writeFileSync(file, `#!/bin/sh\n${line}\n`);
  chmodSync(file, 0o755);
  return file;
}

describe('the REPL and its terminal', { timeout: 30_000 }, () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])(
    'P18 %s restores the terminal',
    async (signal) => {
      const terminal = await openRepl();
      terminal.type(`[sandbox tokens=2000 rate=100]${keys.enter}`);
      await screenWith(terminal, /Esc stops/);
      terminal.kill(signal);
      const { exitCode, signal: number } = await terminal.exit;
      expect(exitCode !== 0 || number !== 0).toBe(true);
      expect(terminal.output()).toMatch(restored);
    },
  );

  test('P18 leaving restores the terminal, and the shell after it has its own modes', async () => {
    const terminal = openTerminal([], {
      shell: '$NATTER --sandbox; stty -a | tr " " "\\n" | grep -x -e icanon -e echo',
    });
    await terminal.waitFor(/›/);
    expect(await leave(terminal)).toBe(0);
    expect(terminal.output()).toMatch(restored);
    expect(await terminal.transcript()).toMatch(/icanon\necho|echo\nicanon/);
  });

  test('P19 Ctrl-Z suspends, and fg comes back to the composer', async () => {
    const terminal = openTerminal([], {
      shell: 'set -m; $NATTER --sandbox; echo STOPPED; sleep 0.3; fg; echo DONE',
    });
    await terminal.waitFor(/›/);
    terminal.type('half a thought');
    await screenWith(terminal, /› half a thought/);
    terminal.type(keys.suspend);
    await terminal.waitFor(/STOPPED/);
    await screenWith(terminal, /STOPPED[^]*› half a thought/);
    terminal.type(keys.interrupt + keys.end);
    expect(await terminal.waitFor(/DONE/)).toContain('STOPPED');
  });

  test('P18 suspended, natter leaves nothing switched on that a kill could leave behind', async () => {
    const terminal = openTerminal([], {
      shell: 'set -m; $NATTER --sandbox; kill -9 %1; echo GONE',
    });
    await terminal.waitFor(/›/);
    terminal.type(keys.suspend);
    await terminal.waitFor(/GONE/);
    expect(terminal.output()).toMatch(restored);
    expect(terminal.output().lastIndexOf('[?2004h')).toBeLessThan(
      terminal.output().lastIndexOf('[?2004l'),
    );
  });

  test('Ctrl+G edits the draft in $EDITOR, which does not see the key', async () => {
    const editor = editorScript('echo "edited ${NATTER_API_KEY:-without}" >> "$1"');
    const terminal = await openRepl(['--sandbox'], {
      env: { EDITOR: editor, NATTER_API_KEY: 'secret-key-1234' },
    });
    terminal.type('draft');
    await screenWith(terminal, /› draft/);
    terminal.type(keys.editor);
    await screenWith(terminal, /edited without/);
    terminal.type(keys.interrupt + keys.end);
    expect((await terminal.exit).exitCode).toBe(0);
    expect(terminal.output()).not.toContain('secret-key-1234');
  });

  test('Ctrl+G keeps the draft when the editor fails', async () => {
    const terminal = await openRepl(['--sandbox'], { env: { EDITOR: editorScript('exit 1') } });
    terminal.type('draft');
    terminal.type(keys.editor);
    await terminal.waitFor(/ended with an error/);
    await screenWith(terminal, /› draft/);
    terminal.type(keys.interrupt + keys.end);
    expect((await terminal.exit).exitCode).toBe(0);
  });

  test('T20 a window without a size is taken for 80 by 24', async () => {
    const terminal = openTerminal([], { shell: 'stty cols 0 rows 0; $NATTER --sandbox' });
    await terminal.waitFor(/›/);
    expect(await leave(terminal)).toBe(0);
  });

  test('T19 NO_COLOR leaves no colour', async () => {
    const terminal = await openRepl(['--sandbox'], { env: { NO_COLOR: '1' } });
    terminal.type(`[sandbox markdown]${keys.enter}`);
    await screenWith(terminal, /of 128,000[^]*$/);
    await sleep(500);
    expect(await leave(terminal)).toBe(0);
    expect(terminal.output()).not.toMatch(/\u001B\[(?:[1-9]|3[0-7]|9[0-7])m/);
  });

  test('T3 a hostile answer does nothing to the terminal', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox hostile]${keys.enter}`);
    await terminal.waitFor(/control or hidden characters are not shown/);
    expect(await leave(terminal)).toBe(0);
    expect(terminal.output()).not.toMatch(clears);
    expect(terminal.output()).not.toMatch(/\u001B\]52|\u001B\][02];|\u001BP|\u001B\[6n/);
  });

  test('P25 LANG=C and 40 columns show plain signs and lose nothing', async () => {
    const terminal = openTerminal(['--sandbox'], { columns: 40, rows: 12, env: { LANG: 'C' } });
    await terminal.waitFor(/> type a prompt/);
    terminal.type(`[sandbox tables]${keys.enter}`);
    await screenWith(terminal, /128,000/);
    await sleep(500);
    expect(await leave(terminal)).toBe(0);
    expect(terminal.output()).not.toMatch(clears);
  });

  test.each([
    ['the REPL', ['--sandbox']],
    ['line mode', ['--sandbox', '--accessible']],
  ])('P21 %s ends with its terminal, as by SIGHUP', async (_name, words) => {
    const terminal = openTerminal(words);
    await terminal.waitFor(/›|You:/);
    terminal.type(`[sandbox tokens=5000 rate=50]\r`);
    await terminal.waitFor(/word/);
    terminal.hangUp();
    expect(await terminal.exit).toMatchObject({ signal: 1 });
  });
});
