import { execFileSync } from 'node:child_process';
import { constants, mkdtempSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type RunningNatter, serviceAt, startNatter } from '../support/natter.ts';
import { chunk, delta, event, response, streamHead } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';
import { settledCount } from '../support/slow-reader.ts';

const firstText = [streamHead(), chunk(delta('the first words'))];

/** Sends the signal, and returns the result and the time until the end in milliseconds. */
async function stop({ child, result }: RunningNatter, signal: NodeJS.Signals) {
  const start = performance.now();
  child.kill(signal);
  const { stdout, stderr, signal: diedOf } = await result;
  return { stdout, stderr, diedOf, elapsed: performance.now() - start };
}

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
  const { stdout, stderr, diedOf } = await stop(natter, signal);
  expect({ stdout, stderr, diedOf }).toEqual({
    stdout: 'the first words\n',
    stderr: '',
    diedOf: signal,
  });
  await server.idle();
});

test('P5 an interrupted --json prints the text received, marked as incomplete', async () => {
  const thought = event({ choices: [{ index: 0, delta: { reasoning: 'a thought' } }] });
  const server = await serve([[...firstText, chunk(thought)]]);
  const natter = startNatter(['--json', '--reasoning', 'hi'], { env: serviceAt(server) });
  await natter.waitFor('stderr', /a thought/);
  const { stdout, diedOf } = await stop(natter, 'SIGINT');
  expect(diedOf).toBe('SIGINT');
  expect(JSON.parse(stdout)).toMatchObject({ content: 'the first words', incomplete: true });
});

test('P5 natter ends at once while the service is silent', async () => {
  const server = await serve([[]]);
  const natter = startNatter(['hi'], { env: serviceAt(server) });
  await server.received(1);
  const { diedOf, elapsed } = await stop(natter, 'SIGINT');
  expect(diedOf).toBe('SIGINT');
  expect(elapsed).toBeLessThan(atOnce);
});

test('R23 Ctrl+C during the wait for a retry ends natter at once, without a further request', async () => {
  const server = await serve([[response(429, { 'retry-after': '50' })]]);
  const natter = startNatter(['hi'], { env: serviceAt(server) });
  await natter.waitFor('stderr', /retry 1 of 4/);
  const { diedOf, elapsed } = await stop(natter, 'SIGINT');
  expect(diedOf).toBe('SIGINT');
  expect(elapsed).toBeLessThan(atOnce);
  expect(server.requests).toHaveLength(1);
});

/** Resolves with the signal that ends natter; does not read its streams. */
function endSignal({ child }: RunningNatter): Promise<NodeJS.Signals | null> {
  return new Promise((resolve) => child.on('exit', (_code, signal) => resolve(signal)));
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
  const fifo = join(mkdtempSync(join(tmpdir(), 'natter-fifo-')), 'pipe');
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

test.each(['SIGINT', 'SIGTERM'] as const)('P6 the sandbox ends by %s', async (signal) => {
  const sandbox = startNatter(['sandbox']);
  await sandbox.waitFor('stderr', /try it/);
  expect(await stop(sandbox, signal)).toMatchObject({ diedOf: signal });
});
