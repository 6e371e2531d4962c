import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { openHeldSandbox } from '../support/held-sandbox.ts';
import {
  clears,
  keys,
  leave,
  openRepl,
  paste,
  screenWith,
  sharedHome,
} from '../support/repl-terminal.ts';
import { expectCountdown } from '../support/terminal.ts';

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
    expect(await terminal.transcript()).toMatch(/natter --resume \w+ reopens/);
  });

  test('P7 Esc stops an answer and keeps its text, and /continue continues it', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox tokens=2000 rate=100]${keys.enter}`);
    await screenWith(terminal, /tokens · Esc stops/);
    terminal.type(keys.escape);
    await terminal.waitFor(/stopped; \/continue resumes it/);
    terminal.type(`/continue${keys.enter}`);
    await terminal.waitFor(/› \/continue\n[^]*breaks in the middle\n\norigin · /);
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

  test('P20 an answer is complete after twenty resizes', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox tokens=600 rate=300]${keys.enter}`);
    await screenWith(terminal, /Esc stops/);
    for (let index = 0; index < 20; index += 1) {
      await terminal.resizeStopped(50 + ((index * 17) % 60), 12 + ((index * 7) % 20));
      await sleep(60);
    }
    await terminal.resizeStopped(80, 24);
    await screenWith(terminal, /6\d\d\/128K/);
    const shown = lettersOfAnswer(await terminal.transcript());
    const whole = lettersOfAnswer(await answerAlone());
    expect(remaining(whole, shown)).toBe('');
    // An update in flight during a resize may leave a row of the old size.
    expect(shown.length - whole.length).toBeLessThan(100);
    expect(terminal.output()).not.toMatch(clears);
    expect(await leave(terminal)).toBe(0);
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

  test('queues prompts entered while an answer streams', async () => {
    const held = await openHeldSandbox();
    const terminal = await openRepl([], { env: held.env });
    terminal.type(`[sandbox tokens=200 rate=150]${keys.enter}`);
    await held.pass(500);
    await screenWith(terminal, /Esc stops/);
    terminal.type(`[sandbox echo] later${keys.enter}`);
    await screenWith(terminal, /next: \[sandbox echo\] later/);
    held.release();
    await terminal.waitFor(/\nlater\n/);
    expect(await leave(terminal)).toBe(0);
  });

  test('after a failure the prompt is in the composer, and Enter sends it again', async () => {
    const terminal = await openRepl(['--sandbox', '--retries', '0']);
    terminal.type(`[sandbox 500 times=1] hello${keys.enter}`);
    const screen = await screenWith(terminal, /Enter sends it again/);
    expect(screen).toMatch(/› \[sandbox 500 times=1\] hello\n/);
    terminal.type(keys.enter);
    await terminal.waitFor(/your prompt:/);
    expect(await leave(terminal)).toBe(0);
  });

  test('a retry counts down with its cause', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox 429 retry-after=3 times=1]${keys.enter}`);
    await terminal.waitFor(/This is the natter sandbox/);
    expect(await leave(terminal)).toBe(0);
    expect(terminal.output()).toContain('rate limited');
    expectCountdown(terminal.output());
  });

  test('a cut answer is kept and marked', async () => {
    const terminal = await openRepl();
    terminal.type(`[sandbox rst cut-after=20]${keys.enter}`);
    const text = await terminal.waitFor(/\/continue resumes it/);
    expect(text).toContain('natter sandbox');
    expect(await leave(terminal)).toBe(0);
  });

  test('the history survives the session, and Ctrl+R searches it', async () => {
    const env = sharedHome();
    const first = await openRepl(['--sandbox'], { env });
    first.type(`[sandbox echo] needle${keys.enter}`);
    await first.waitFor(/\nneedle\n/);
    expect(await leave(first)).toBe(0);
    const second = await openRepl(['--sandbox'], { env });
    second.type(keys.search);
    second.type('needle');
    await screenWith(second, /› \[sandbox echo\] needle/);
    second.type(keys.enter);
    second.type(keys.enter);
    await second.waitFor(/\nneedle\n/);
    expect(await leave(second)).toBe(0);
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

  test('-c continues a conversation', async () => {
    const env = sharedHome();
    const first = await openRepl(['--sandbox'], { env });
    first.type(`[sandbox echo] tea${keys.enter}`);
    await first.waitFor(/\ntea\n/);
    expect(await leave(first)).toBe(0);
    const second = await openRepl(['--sandbox', '-c'], { env });
    await second.waitFor(/› \[sandbox echo\] tea\n\ntea/);
    second.type(`hello again${keys.enter}`);
    await second.waitFor(/messages: 3/);
    expect(await leave(second)).toBe(0);
  });

  test('-i sends a first prompt and keeps the conversation open', async () => {
    const terminal = await openRepl(['--sandbox', '-i', '[sandbox echo] first']);
    await terminal.waitFor(/› \[sandbox echo\] first\n\nfirst\n/);
    expect(await leave(terminal)).toBe(0);
  });
});

/** The text of all files in a folder; empty if it does not exist yet. */
function textsIn(folder: string): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
}

/** The answer without whitespace, because the terminal wraps lines. */
function lettersOfAnswer(transcript: string): string {
  const [, answer = ''] =
    /\[sandbox tokens=600[^\]]*\]\n([^]*?)\n\norigin · /.exec(transcript) ?? [];
  return answer.replaceAll(/\s/g, '');
}

/** The part of `text` that is not a subsequence of `shown`. */
function remaining(text: string, shown: string): string {
  let at = 0;
  for (const character of shown) if (character === text.charAt(at)) at += 1;
  return text.slice(at);
}

async function answerAlone(): Promise<string> {
  const terminal = await openRepl();
  terminal.type(`[sandbox tokens=600 rate=300]${keys.enter}`);
  await screenWith(terminal, /6\d\d\/128K/);
  const text = await terminal.transcript();
  expect(await leave(terminal)).toBe(0);
  return text;
}
