import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readFileSync, truncateSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { newPath, readRecordedLines, writeRecording } from '../recording/recording-fixtures.ts';
import { rule } from '../sandbox/sandbox-helpers.ts';
import { openHeldSandbox } from '../support/held-sandbox.ts';
import { runInMemory } from '../support/in-memory.ts';
import {
  binary,
  cleanEnvironment,
  jsonLines,
  type RunningNatter,
  serviceAt,
  startNatter,
} from '../support/natter.ts';
import { chunk, delta, event, response, streamHead } from '../support/raw-replies.ts';
import { keys, leave, openRepl, openTerminal, sharedHome } from '../support/terminal.ts';
import { expectNoSecret, secretKey } from '../support/secret.ts';
import { serve } from '../support/serve.ts';
import { settledCount } from '../support/slow-reader.ts';
import { openLedger } from '../support/data-folder.ts';
import { folderOf } from '../support/folder.ts';

const time = expect.any(Number) as number;

const measured = { attempts: 1, timing: { first_text_ms: time, total_ms: time } };

// On Windows, a signal from another process ends natter without a handler.
const signals = process.platform === 'win32' ? [] : (['SIGINT', 'SIGTERM', 'SIGHUP'] as const);

test('R14: a kill keeps the text that was shown half a second before', async () => {
  const server = await serve([[streamHead(), chunk(delta('some words'))]]);
  const env = serviceAt(server, { NATTER_DATA_DIR: folderOf() });
  const natter = startNatter(['hi'], { env });
  await natter.waitFor('stdout', /some words/);
  // Twice as long, for a slow machine.
  await pause(1000);
  natter.child.kill('SIGKILL');
  await natter.result;
  expect((await runInMemory(['last'], { env })).stdout).toContain('some words');
});

describe.each(signals)('Y3: after %s', (signal) => {
  const stopped = { kind: 'incomplete', message: expect.stringContaining('stopped') as string };

  test.each(['--json', '--jsonl'])('%s ends properly, with the text received', async (flag) => {
    const thought = event({ choices: [{ index: 0, delta: { reasoning: 'hmm' } }] });
    const server = await serve([[streamHead(), chunk(thought + delta('hel'))]]);
    const natter = startNatter([flag, '--reasoning', 'hi'], { env: serviceAt(server) });
    await natter.waitFor('stderr', /hmm/);
    natter.child.kill(signal);
    const result = await natter.result;
    expect(result.signal).toBe(signal);
    const last = jsonLines(result.stdout).at(-1);
    expect(last).toMatchObject({ ...measured, error: stopped });
    const own = { '--json': { content: 'hel' }, '--jsonl': { type: 'answer-failed' } }[flag];
    expect(last).toMatchObject(own ?? {});
  });
});

test.each([
  ['P9 100 MB', 100_000_000, [], 2],
  ['P10 600 MB', 600_000_000, [], 7],
])('%s of standard input are refused in bounded memory', async (_name, bytes, flags, expected) => {
  const folder = folderOf({ sparse: '' });
  // It takes no space on the disk.
  truncateSync(join(folder, 'sparse'), bytes);
  const input = openSync(join(folder, 'sparse'), 'r');
  const preload = ['--require', resolve('test/support/peak-memory.cjs')];
  const memory = join(folder, 'memory');
  const child = spawn(process.execPath, [...preload, binary, '--sandbox', ...flags, 'hi'], {
    env: cleanEnvironment({ PEAK_MEMORY: memory }),
    stdio: [input, 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr?.on('data', (text: Buffer) => (stderr += text.toString()));
  expect(await once(child, 'close')).toEqual([expected, null]);
  closeSync(input);
  expect(stderr).toMatch(/^natter: standard input is (binary: byte 0|longer than 128,000,000)/m);
  expect(stderr).not.toMatch(/ERR_|\n\s+at /);
  const kilobytes = Number(readFileSync(memory, 'utf8'));
  expect(kilobytes).toBeGreaterThan(0);
  expect(kilobytes).toBeLessThan(500_000);
});

/** If Node opens a debugger, it uses a free port and reports it on standard error. */
const anyPort = { NODE_OPTIONS: '--inspect-port=0' };

describe('SIGUSR1 opens no debugger', () => {
  test('X4: during an answer, which is completed', async () => {
    const { env, pass } = await openHeldSandbox({ faults: [rule('tokens=20 rate=20')] });
    const natter = startNatter(['hi'], { env: { ...env, ...anyPort } });
    await pass(100);
    await natter.waitFor('stdout', /\w/);
    natter.child.kill('SIGUSR1');
    await pass(1500);
    expect(await natter.result).toMatchObject({ code: 0, stderr: '' });
  });

  test('X4: and one opened while Node started is closed', async () => {
    // Waits until Node has opened it, before the first line of natter.
    const script = `process.kill(process.pid, 'SIGUSR1');
      const { url } = require('node:inspector');
      while (url() === undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);`;
    const preload = join(folderOf({ 'signal.cjs': script }), 'signal.cjs');
    const env = { NODE_OPTIONS: `--inspect-port=0 --require ${preload}` };
    const natter = startNatter(['sandbox'], { env });
    await natter.waitFor('stderr', /try it/);
    // The response is sent after the first turn of natter's event loop.
    await fetch(natter.stdout().trim());
    const ports = [...natter.stderr().matchAll(/(?<=ws:\/\/127\.0\.0\.1:)\d+/g)].flat();
    expect(ports.length).toBeGreaterThan(0);
    for (const port of ports) {
      await expect(fetch(`http://127.0.0.1:${port}/json/version`)).rejects.toThrow('fetch failed');
    }
    natter.child.kill('SIGTERM');
    await natter.result;
  });
});

test('an answer that Ctrl+C stops is in the ledger', async () => {
  const place = openLedger();
  const words = ['--sandbox', '[sandbox tokens=500 rate=20] hi'];
  const running = startNatter(words, { env: place.env });
  await running.waitFor('stdout', /\S/);
  running.child.kill('SIGINT');
  await running.result;
  expect(place.lines()).toMatchObject([{ outcome: 'stopped', command: 'chat' }]);
});

test('D1 natter killed during a recording leaves a recording of everything received', async () => {
  const tape = newPath();
  const server = await serve([[streamHead(), chunk(delta('all that ')), chunk(delta('came'))]]);
  const running = startNatter(['--record', tape, 'hi'], { env: serviceAt(server) });
  await running.waitFor('stdout', /all that came/);
  running.child.kill('SIGKILL');
  await running.result;
  const { code, stdout, stderr } = await runInMemory(['--replay', tape, 'hi']);
  expect({ code, stdout }).toEqual({ code: 11, stdout: 'all that came\n' });
  expect(stderr).toContain('exchange 1 of the recording was stopped before the answer ended');
  await runInMemory(['--sandbox', '--record', tape, '[sandbox echo] on']);
  expect((await runInMemory(['--replay', tape, '[sandbox echo] on'])).stdout).toBe('on\n');
});

test('P5 Ctrl+C ends the exchange of a recording, and ends a replay', async () => {
  const tape = newPath();
  const prompt = '[sandbox tokens=500 rate=50]';
  const live = startNatter(['--sandbox', '--record', tape, prompt]);
  await live.waitFor('stdout', /\w+ \w+ \w+/);
  live.child.kill('SIGINT');
  expect((await live.result).signal).toBe('SIGINT');
  expect(readRecordedLines(tape).at(-1)).toMatchObject({ type: 'stopped' });
  const replay = startNatter(['--replay', tape, '--speed', '0.1', prompt]);
  await replay.waitFor('stdout', /\w/);
  replay.child.kill('SIGINT');
  expect((await replay.result).signal).toBe('SIGINT');
});

test('on a terminal, notices report a recording and a replay', async () => {
  const tape = newPath();
  const words = ['[sandbox echo] hello'];
  const live = openTerminal(['--sandbox', '--record', tape, ...words], { columns: 200 });
  await live.exit;
  expect(await live.transcript()).toContain(`natter: recording into ${tape}`);
  const replay = openTerminal(['--replay', tape, ...words], { columns: 200 });
  await replay.exit;
  expect(await replay.transcript()).toContain(`natter: replayed from ${tape}`);
});

test('a key entered in a replayed conversation is not stored', async () => {
  const ask = { method: 'POST', path: '/v1/chat/completions', type: 'request' };
  const body = { model: 'origin', messages: [{ role: 'user', content: 'hi' }], stream: true };
  const headers = { 'content-type': 'text/event-stream' };
  const tape = writeRecording(
    { exchange: 1, ...ask, body },
    { exchange: 1, type: 'response', status: 401 },
    { exchange: 1, type: 'end' },
    { exchange: 2, type: 'request', method: 'GET', path: '/v1/models' },
    { exchange: 2, type: 'response', status: 200 },
    { exchange: 2, type: 'bytes', text: '{"data":[{"id":"origin"}]}' },
    { exchange: 2, type: 'end' },
    { exchange: 3, ...ask, body },
    { exchange: 3, type: 'response', status: 200, headers },
    { exchange: 3, type: 'bytes', text: `${delta('now it works')}data: [DONE]\n\n` },
  );
  const home = sharedHome();
  const words = ['--replay', tape, '--speed', 'max'];
  const terminal = await openRepl(words, { env: home, columns: 120 });
  terminal.type(`hi${keys.enter}`);
  await terminal.waitFor(/key/i);
  terminal.type(`${secretKey}${keys.enter}`);
  await terminal.waitFor(/the recording accepts any key; nothing is stored/);
  terminal.type(`/retry${keys.enter}`);
  const text = await terminal.waitFor(/now it works/);
  expect(await leave(terminal)).toBe(0);
  expectNoSecret(text);
  expect(existsSync(`${home.HOME}/.config/natter`)).toBe(false);
});

const firstText = [streamHead(), chunk(delta('the first words'))];

/** Milliseconds: much less than natter would wait otherwise, but enough for a busy machine. */
const atOnce = 10_000;

test.each([
  ['P5', 'SIGINT'],
  ['P6', 'SIGTERM'],
  ['P6', 'SIGHUP'],
] as const)('%s natter ends by %s and prints the text received', async (_id, signal) => {
  const server = await serve([firstText]);
  const natter = startNatter(['hi'], { env: serviceAt(server) });
  await natter.waitFor('stdout', /words/);
  natter.child.kill(signal);
  const stopped = { stdout: 'the first words\n', stderr: '', signal };
  expect(await natter.result).toMatchObject(stopped);
  await server.idle();
});

test('R23 Ctrl+C during the wait for a retry ends natter at once, without a further request', async () => {
  const server = await serve([[response(429, { 'retry-after': '50' })]]);
  const natter = startNatter(['hi'], { env: serviceAt(server) });
  await natter.waitFor('stderr', /retry 1 of 4/);
  const start = performance.now();
  natter.child.kill('SIGINT');
  expect((await natter.result).signal).toBe('SIGINT');
  expect(performance.now() - start).toBeLessThan(atOnce);
  expect(server.requests).toHaveLength(1);
});

/** Resolves with the signal that ends natter; does not read its streams. */
function endSignal({ child }: RunningNatter): Promise<NodeJS.Signals | null> {
  return new Promise((settle) => child.on('exit', (_code, signal) => settle(signal)));
}

/** A natter that is blocked because its answer is not read. */
async function blockedNatter(): Promise<RunningNatter> {
  let sent = 0;
  const piece = chunk(delta('x'.repeat(65_536)));
  const steps = Array.from({ length: 400 }, () => [piece, () => (sent += 1)]);
  const server = await serve([[streamHead(), ...steps.flat()]]);
  const natter = startNatter(['hi'], { env: serviceAt(server) });
  natter.child.stdout?.pause();
  await server.received(1);
  await settledCount(() => sent);
  return natter;
}

test('P8 one Ctrl+C is enough although the answer is not read', async () => {
  const natter = await blockedNatter();
  natter.child.kill('SIGINT');
  expect(await endSignal(natter)).toBe('SIGINT');
});

test('P8 two signals at once end natter although the answer is not read', async () => {
  const natter = await blockedNatter();
  natter.child.kill('SIGINT');
  natter.child.kill('SIGTERM');
  // Two signals that are pending at once may be delivered in either order.
  expect(['SIGINT', 'SIGTERM']).toContain(await endSignal(natter));
});

test('P8 one Ctrl+C is enough while a pipe given as --file has no data', async () => {
  const fifo = join(folderOf(), 'pipe');
  execFileSync('mkfifo', [fifo]);
  const natter = startNatter(['--sandbox', '-f', fifo, 'x']);
  const writer = await openWriter(fifo);
  natter.child.kill('SIGINT');
  expect(await endSignal(natter)).toBe('SIGINT');
  await writer.close();
});

/** Opens the pipe as soon as it has a reader. */
async function openWriter(fifo: string): Promise<FileHandle> {
  for (;;) {
    try {
      return await open(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
      await pause(10);
    }
  }
}
