import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import { openHeldSandbox } from '../support/held-sandbox.ts';
import { expectCountdown, openTerminal, type TerminalOptions } from '../support/terminal.ts';

const escape = '\u001B';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

function open(words: readonly string[], options: TerminalOptions = {}) {
  const env = { NATTER_BASE_URL: sandbox.url, NATTER_API_KEY: sandboxKey, ...options.env };
  return openTerminal(words, { ...options, env });
}

async function transcriptOf(words: readonly string[], options: TerminalOptions = {}) {
  const session = open(words, options);
  const { exitCode } = await session.exit;
  return { exitCode, text: await session.transcript(), output: session.output() };
}

describe('an answer on a terminal', () => {
  test('is styled Markdown, with model, tokens and time on the last line', async () => {
    const { text, output, exitCode } = await transcriptOf(['[sandbox markdown]']);
    expect(exitCode).toBe(0);
    expect(text).not.toContain('**strong**');
    expect(text).toContain('strong');
    expect(output).toContain(`${escape}[1m`);
    expect(text.split('\n').at(-1)).toMatch(/^origin · \d+ tokens in, \d+ out · [\d.]+ s/);
  });

  test('T19 NO_COLOR and TERM=dumb print no escape sequences, even during waits and retries', async () => {
    const prompt = '[sandbox 500 times=1 delay=600ms] [not a group] **bold**';
    const plain = await transcriptOf([prompt], { env: { NO_COLOR: '1' } });
    const dumb = await transcriptOf([prompt], { env: { TERM: 'dumb' } });
    expect(plain.output).not.toContain(escape);
    expect(dumb.output).not.toContain(escape);
    expect(plain.text).toContain('This is the natter sandbox');
    expect(dumb.text).toContain('retry 1 of 4');
  });

  test('ends with a line break, even if the service sends none', async () => {
    const { text } = await transcriptOf(['[sandbox echo] no newline']);
    expect(text).toMatch(/no newline\norigin ·/);
  });

  test('T17 --raw passes escape sequences to the terminal, with a warning', async () => {
    const { text, output } = await transcriptOf(['--raw', `[sandbox echo] a${escape}[31mred`]);
    expect(text).toContain('warning: --raw lets the answer control this terminal');
    expect(output).toContain(`${escape}[31mred`);
  });

  test('T1 T14 control sequences of the answer are removed and counted', async () => {
    const { text, output } = await transcriptOf([
      `[sandbox echo] a${escape}[31mred${escape}]0;t\u0007`,
    ]);
    expect(output).not.toContain(`${escape}[31m`);
    expect(text).toContain('ared');
    expect(text).toContain('2 control or hidden characters of the answer not shown');
  });

  test('--plain prints the source text', async () => {
    const { text } = await transcriptOf(['--plain', '[sandbox echo] some **bold** text']);
    expect(text).toContain('some **bold** text');
  });

  test('T20 a window of 0 by 0 counts as 80 by 24', async () => {
    const { text, exitCode } = await transcriptOf(['[sandbox tables]'], {
      shell: 'stty cols 0 rows 0; $NATTER "[sandbox tables]"',
    });
    expect(exitCode).toBe(0);
    expect(text).toContain('origin ·');
  });

  test('is readable in 20 columns', async () => {
    const { text, exitCode } = await transcriptOf(['[sandbox tables]'], { columns: 20 });
    expect(exitCode).toBe(0);
    expect(text.replaceAll(/\s/g, '')).toContain('origin·');
  });
});

describe('waiting on a terminal', () => {
  test('shows the model until the first token, and is removed', async () => {
    const held = await openHeldSandbox();
    const session = openTerminal(['[sandbox delay=1500ms] hello'], { env: held.env });
    await session.waitFor(/waiting for origin · .*Ctrl\+C stops/);
    held.release();
    await session.exit;
    expect(await session.transcript()).not.toContain('waiting for');
  });

  test('each retry is one line with a countdown, which remains', async () => {
    const session = open(['[sandbox 429 retry-after=2 times=1] hello']);
    await session.exit;
    expectCountdown(session.output());
    const retries = (await session.transcript()).match(/retry 1 of 4/g);
    expect(retries).toHaveLength(1);
  });

  test('R23 Ctrl+C during a retry ends natter at once', async () => {
    const session = open(['[sandbox 429 retry-after=50 times=1] hello']);
    await session.waitFor(/retry 1 of 4/);
    session.type('\u0003');
    expect((await session.exit).signal).toBe(2);
  });
});

test('on a terminal without a configured service the sandbox answers, with a notice', async () => {
  const session = openTerminal(['hello']);
  expect((await session.exit).exitCode).toBe(0);
  expect(await session.transcript()).toMatch(/no service is configured; using the sandbox/);
});

test('on a terminal without a configured service a batch fills no file with answers of the sandbox', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-unconfigured-'));
  const [input, output] = ['prompts.txt', 'answers.jsonl'].map((name) => join(folder, name));
  writeFileSync(input ?? '', 'hello\n');
  const session = openTerminal(['batch', input ?? '', '-o', output ?? '']);
  expect((await session.exit).exitCode).toBe(3);
  expect(await session.transcript()).toMatch(/no service is configured/);
  expect(readdirSync(folder)).toEqual(['prompts.txt']);
});
