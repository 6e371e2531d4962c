import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { rule } from '../sandbox/sandbox-helpers.ts';
import { openSlowBatchPlace, promptLines } from '../support/batch.ts';
import { openHeldSandbox } from '../support/held-sandbox.ts';
import { runInMemory } from '../support/in-memory.ts';
import { binary, cleanEnvironment, serviceAt, startNatter } from '../support/natter.ts';
import { json, streamed } from '../support/raw-replies.ts';
import { leave, openRepl } from '../support/repl-terminal.ts';
import { serve } from '../support/serve.ts';

interface Dry {
  readonly request: { readonly body: Readonly<Record<string, unknown>> };
  readonly estimate: { readonly tokens: number; readonly window: number };
}

const dryRun = async (...words: string[]): Promise<Dry> => {
  const { stdout } = await runInMemory(['--sandbox', '--dry-run', ...words]);
  return JSON.parse(stdout) as Dry;
};

const newPath = (name: string) => join(mkdtempSync(join(tmpdir(), 'natter-limits-')), name);

/** A sparse file, which takes no space on the disk. */
function sparseFile(bytes: number): string {
  const file = newPath('sparse');
  writeFileSync(file, '');
  truncateSync(file, bytes);
  return file;
}

test.each([
  ['P9 100 MB', 100_000_000, [], 2],
  ['P10 600 MB', 600_000_000, [], 7],
])('%s of standard input are refused in bounded memory', async (_name, bytes, flags, expected) => {
  const input = openSync(sparseFile(bytes), 'r');
  const preload = ['--require', resolve('test/support/peak-memory.cjs')];
  const memory = newPath('memory');
  const child = spawn(process.execPath, [...preload, binary, '--sandbox', ...flags, 'hi'], {
    env: cleanEnvironment({ PEAK_MEMORY: memory }),
    stdio: [input, 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr?.on('data', (text: Buffer) => (stderr += text.toString()));
  expect(await once(child, 'close')).toEqual([expected, null]);
  closeSync(input);
  expect(stderr).toMatch(
    /^natter: standard input is (binary: byte 0|longer than 128,000,000 bytes)/m,
  );
  expect(stderr).not.toMatch(/ERR_|\n\s+at /);
  const kilobytes = Number(readFileSync(memory, 'utf8'));
  expect(kilobytes).toBeGreaterThan(0);
  expect(kilobytes).toBeLessThan(500_000);
});

test('P9 a prompt that cannot fit the window with any tokenizer is refused before it is sent', async () => {
  const server = await serve([[streamed('never')]]);
  const input = 'x'.repeat(20_000_000);
  const { code, stderr } = await runInMemory(['hi'], { input, env: serviceAt(server) });
  expect(code).toBe(7);
  expect(stderr).toBe(
    "natter: the prompt has 20,000,004 bytes, which cannot fit origin's window of 128,000 tokens\n" +
      '  send less text; natter --split auto sends it in pieces\n',
  );
  expect(server.requests).toHaveLength(0);
});

test('a prompt near the window causes a warning with numbers, and is sent', async () => {
  const server = await serve([[streamed('answer')]]);
  const input = 'word'.repeat(110_000);
  const { code, stdout, stderr } = await runInMemory(['hi'], { input, env: serviceAt(server) });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'answer\n' });
  expect(stderr).toMatch(
    /^natter: warning: ~110,\d+ tokens, near origin's window of 128,000; -m nextgen has a larger window\n$/,
  );
});

test('a prompt over the window causes a warning, and is sent', async () => {
  const server = await serve([[streamed('answer')]]);
  const input = 'word'.repeat(130_000);
  const { code, stderr } = await runInMemory(['hi'], { input, env: serviceAt(server) });
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /~130,\d+ tokens, over origin's window of 128,000; -m nextgen has a larger window; --split auto sends it in pieces\n$/,
  );
});

test.each([
  [['hi'], '-m nextgen has a larger window; --split auto sends it in pieces'],
  [['-s', '{{stdin}}', 'hi'], '--dry-run shows what is sent'],
  [['-'], '--dry-run shows what is sent'],
])('the refusal of a prompt over the window names what helps: %j', async (words, hint) => {
  const server = await serve([
    [json(400, { error: { message: 'too many tokens', type: 'invalid_request_error' } })],
  ]);
  const input = 'word'.repeat(130_000);
  const run = await runInMemory(words, { input, env: serviceAt(server) });
  expect(run.code).toBe(7);
  expect(run.stderr).toContain(`\n  ${hint}\n`);
});

test('the token limit of the answer counts towards the window', async () => {
  const { estimate } = await dryRun('-t', '127000', 'hi');
  expect(estimate).toEqual({ tokens: 127_005, window: 128_000 });
});

test.each([
  ['a short prompt', 'hi', 'origin'],
  ['a prompt over the smaller window', 'word'.repeat(130_000), 'nextgen'],
])('-m auto selects the smallest model for %s', async (_name, input, model) => {
  const server = await serve([[streamed('answer')]]);
  const { code } = await runInMemory(['-m', 'auto', '-'], { input, env: serviceAt(server) });
  expect(code).toBe(0);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ model });
});

test('only the fields of the contract are sent by default', async () => {
  const { request } = await dryRun('hi');
  expect(request.body).toEqual({
    model: 'origin',
    messages: [{ role: 'user', content: 'hi' }],
    stream: true,
  });
});

test('--no-stream, --system, --max-tokens and --param change the request', async () => {
  const flags = ['--no-stream', '-s', 'be brief', '-t', '9', '--param', 'temperature=0.2'];
  const { request } = await dryRun(...flags, '--param', 'stop=["a","b"]', 'hi');
  expect(request.body).toEqual({
    model: 'origin',
    messages: [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'hi' },
    ],
    max_tokens: 9,
    temperature: 0.2,
    stop: ['a', 'b'],
  });
});

test('Y11: --param accepts a word as text', async () => {
  const { request } = await dryRun('--param', 'reasoning_effort=high', 'hi');
  expect(request.body).toMatchObject({ reasoning_effort: 'high' });
});

test.each([
  ['text without quotes', ['--param', 'user=it is me'], /must be JSON or a single word/],
  ['no value', ['--param', 'user'], /must be name=json/],
  ['the model', ['--param', 'model="x"'], /parameter model is set by natter itself/],
  ['the messages', ['--param', 'messages=[]'], /parameter messages is set by natter itself/],
  ['stream', ['--param', 'stream=false'], /parameter stream is set by natter itself/],
  ['max_tokens', ['--param', 'max_tokens=1'], /parameter max_tokens is set by natter itself/],
  ['__proto__', ['--param', '__proto__={}'], /is not a valid parameter name/],
  ['a token limit of 0', ['-t', '0'], /--max-tokens must be a whole number/],
  ['a fraction of a token', ['-t', '1.5'], /--max-tokens must be a whole number/],
])('natter refuses %s', async (_name, flags, message) => {
  const { code, stdout, stderr } = await runInMemory(['--sandbox', ...flags, 'hi']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(message);
});

/** If Node opens a debugger, it uses a free port and reports it on standard error. */
const anyPort = { NODE_OPTIONS: '--inspect-port=0' };

test('a batch with --stop-after starts no more items after its time, and exits with 75', async () => {
  const place = await openSlowBatchPlace();
  place.write('p.txt', promptLines(5));
  const words = ['p.txt', '-o', 'out.jsonl', '--concurrency', '1', '--stop-after', '500ms'];
  const natter = place.start(words);
  await place.inProgress(1);
  await natter.waitFor('stderr', /--stop-after: finishing running requests/);
  await place.finish(1);
  const { code, stderr } = await natter.result;
  expect(code).toBe(75);
  expect(stderr).toMatch(/stopped by --stop-after: 1 of 5 items answered in .*, 4 left/);
});

describe('SIGUSR1 opens no debugger', () => {
  test('X4: during an answer, which is completed', async () => {
    const { env, pass } = await openHeldSandbox({ faults: [rule('tokens=20 rate=20')] });
    const natter = startNatter(['hi'], { env: { ...env, ...anyPort } });
    await pass(100);
    await natter.waitFor('stdout', /\w/);
    natter.child.kill('SIGUSR1');
    await pass(1500);
    const { code, stderr } = await natter.result;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('X4: of the sandbox, which keeps running', async () => {
    const natter = startNatter(['sandbox'], { env: anyPort });
    await natter.waitFor('stderr', /try it/);
    natter.child.kill('SIGUSR1');
    const headers = { authorization: `Bearer ${sandboxKey}` };
    const { ok } = await fetch(`${natter.stdout().trim()}/v1/models`, { headers });
    natter.child.kill('SIGTERM');
    const { signal, stderr } = await natter.result;
    expect({ ok, signal, debugger: /Debugger/.test(stderr) }).toEqual({
      ok: true,
      signal: 'SIGTERM',
      debugger: false,
    });
  });

  test('X4: of a conversation, which stays open', async () => {
    const terminal = await openRepl(['--sandbox'], { env: anyPort });
    terminal.kill('SIGUSR1');
    terminal.type('hello\r');
    await terminal.waitFor(/hello[^]*›/);
    expect(await leave(terminal)).toBe(0);
    expect(terminal.output()).not.toContain('Debugger');
  });

  test('X4: and one opened while Node started is closed', async () => {
    const preload = join(mkdtempSync(join(tmpdir(), 'natter-preload-')), 'signal.cjs');
    // Waits until Node has opened it, before the first line of natter.
    writeFileSync(
      preload,
      `process.kill(process.pid, 'SIGUSR1');
       const { url } = require('node:inspector');
       while (url() === undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);`,
    );
    const env = { NODE_OPTIONS: `--inspect-port=0 --require ${preload}` };
    const natter = startNatter(['sandbox'], { env });
    await natter.waitFor('stderr', /try it/);
    // The response is sent after the first turn of natter's event loop.
    await fetch(natter.stdout().trim());
    const ports = [...natter.stderr().matchAll(/ws:\/\/127\.0\.0\.1:(\d+)/g)].map(
      ([, port]) => port,
    );
    expect(ports.length).toBeGreaterThan(0);
    for (const port of ports) {
      await expect(fetch(`http://127.0.0.1:${port}/json/version`)).rejects.toThrow('fetch failed');
    }
    natter.child.kill('SIGTERM');
    await natter.result;
  });
});
