import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import {
  clears,
  keys,
  leave,
  openRepl,
  paste,
  screenWith,
  sharedHome,
} from '../support/repl-terminal.ts';

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

  test('P7 Esc stops an answer and keeps its text, and /continue continues it', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox tokens=2000 rate=100]${keys.enter}`);
    await screenWith(terminal, /tokens · Esc stops/);
    terminal.type(keys.escape);
    await terminal.waitFor(/stopped; \/continue resumes it/);
    terminal.type(`/continue${keys.enter}`);
    await terminal.waitFor(/› Continue exactly where/);
    await terminal.waitFor(/breaks in the middle\n\norigin · /);
    terminal.type(keys.interrupt + keys.interrupt);
    expect((await terminal.exit).exitCode).toBe(0);
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

  test('P22 a paste of 10,000 lines with escape sequences appears as a marker, and is sent in full', async () => {
    const terminal = await openRepl();
    const line = 'x'.repeat(60);
    const text = Array.from({ length: 10_000 }, (_, index) => `${index} ${line}`).join('\n');
    terminal.type(paste(`${text}\u001B[31m`));
    await screenWith(terminal, /\[paste #1, 10000 lines\]/);
    terminal.type(keys.enter);
    await terminal.waitFor(/prompt length: [\d,]{7,} tokens/);
    expect(await leave(terminal)).toBe(0);
  });

  test('an unsent draft survives a kill', async () => {
    const env = sharedHome();
    const first = await openRepl(['--sandbox'], { env });
    first.type('a thought that is not finished');
    const drafts = join(env.HOME, '.local/state/natter/drafts');
    await vi.waitUntil(() => textsIn(drafts).includes('a thought that is not finished'), {
      timeout: 60_000,
    });
    first.kill('SIGKILL');
    await first.exit;
    const second = await openRepl(['--sandbox'], { env });
    await screenWith(second, /› a thought that is not finished/);
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
