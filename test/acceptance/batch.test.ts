import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { seededRandom } from '../conversation/journal-fixtures.ts';
import { rule } from '../sandbox/sandbox-helpers.ts';
import {
  type BatchPlace,
  expectComplete,
  installPackages,
  openBatchPlace,
  openPrompts,
  openSlowPrompts,
  packagesOf,
  parseResults,
  promptLines,
} from '../support/batch.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { binary, cleanEnvironment, serviceAt } from '../support/natter.ts';
import { chunk, delta, streamed, streamHead } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';

test('natter batch ends without an error when its reader closes the pipe', async () => {
  const place = await openPrompts(2000);
  const natter = place.start(['p.txt']);
  await natter.waitFor('stdout', /\n/);
  natter.child.stdout?.destroy();
  expect(await natter.result).toMatchObject({ stderr: expect.not.stringContaining('Error') });
  expect(place.asked.length).toBeLessThan(2000);
});

test('no item starts while results that wait for an earlier one fill the memory', async () => {
  const beginning = Buffer.concat([streamHead(), chunk(delta('the first words'))]);
  const large = [streamed('x'.repeat(2 ** 24))];
  const server = await serve([[beginning], large, large, [streamed('small')], [streamed('small')]]);
  const place = await openPrompts(5);
  const natter = place.start(['p.txt', '--concurrency', '2'], { env: serviceAt(server) });
  // The fourth item waits for its turn already when the memory is full.
  await server.received(4);
  await pause(1000);
  natter.child.kill('SIGINT');
  await natter.waitFor('stderr', /Ctrl\+C again/);
  natter.child.kill('SIGINT');
  expect((await natter.result).signal).toBe('SIGINT');
  expect(server.requests).toHaveLength(4);
});

test('X10: results that cannot be written to a file are printed on standard output, with exit code 12', async () => {
  const place = await openSlowPrompts(2);
  const folder = join(place.folder, 'results');
  mkdirSync(folder);
  const natter = place.start(['p.txt', '-o', 'results/out.jsonl', '--concurrency', '1']);
  await place.finish(1);
  await place.inProgress(1);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  await place.finish(1);
  const { code, stdout, stderr } = await natter.result;
  expect(code).toBe(12);
  expect(stderr).toContain('results/out.jsonl was deleted or replaced during the run');
  expect(parseResults(stdout).map(({ index }) => index)).toEqual([1, 2]);
});

test('natter batch --limit does not wait for the rest of a pipe', async () => {
  const place = await openBatchPlace();
  const natter = place.start(['-', '--limit', '1'], { input: 'one\n', keepInputOpen: true });
  expect((await natter.result).code).toBe(0);
  expect(place.asked).toEqual(['one']);
});

test('a batch killed at ten moments has every answer once, and repeats no saved request', async () => {
  const count = 200;
  const concurrency = 8;
  const place = await openPrompts(count);
  const words = ['p.txt', '-o', 'out.jsonl', '--concurrency', String(concurrency)];
  const path = join(place.folder, 'out.jsonl');
  const sizeOf = () => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const random = seededRandom(20);
  for (let kill = 0; kill < 10; kill += 1) {
    const growth = Math.floor(random() * 3000);
    const before = sizeOf();
    const natter = place.start(words);
    while (sizeOf() <= before + growth && natter.child.exitCode === null) await pause(2);
    natter.child.kill('SIGKILL');
    await natter.result;
  }
  expect((await place.run(words)).code).toBe(0);
  expectComplete(place, 'out.jsonl', count);
  expect(place.asked.length).toBeLessThanOrEqual(count + 10 * concurrency);
}, 240_000);

const queue = ['--queue', 'redis://127.0.0.1:1'];

test('a queue that is not there is one sentence, at once', async () => {
  const place = await openBatchPlace();
  installPackages(place.folder, { bullmq: '6.7.0', ioredis: '5.4.1' });
  // NODE_PATH is read when Node starts.
  const env = packagesOf(place.folder);
  expect(await place.start(['status', ...queue], { env }).result).toMatchObject({
    code: 10,
    stderr:
      'natter: cannot connect to the queue at redis://127.0.0.1:1/0: nothing is listening there\n' +
      '  start Redis or Valkey there, or correct the address\n',
  });
});

test('P8 Ctrl+C pressed twice cancels the answers, and keeps the text received', async () => {
  const beginning = Buffer.concat([streamHead(), chunk(delta('the first words'))]);
  const server = await serve([[beginning], [beginning]]);
  const place = await openPrompts(5);
  const env = { ...serviceAt(server), NATTER_DEBUG: '1' };
  const natter = place.start(['p.txt', '-o', 'out.jsonl', '--concurrency', '2'], { env });
  await natter.waitFor('stderr', /(?:is answered[^]*){2}/);
  natter.child.kill('SIGINT');
  await natter.waitFor('stderr', /Ctrl\+C again/);
  natter.child.kill('SIGINT');
  expect((await natter.result).signal).toBe('SIGINT');
  const cut = { content: 'the first words', incomplete: true, error: { kind: 'incomplete' } };
  expect(place.results('out.jsonl')).toMatchObject([cut, cut]);
  expect(place.has('out.jsonl.lock')).toBe(false);
});

test('a terminal shows the progress of a batch on one line, which is removed at the end', async () => {
  const place = await openSlowPrompts(6);
  const words = ['batch', `${place.folder}/p.txt`, '-o', `${place.folder}/out.jsonl`];
  const terminal = openTerminal(words, { env: place.env, columns: 40 });
  await place.finish(4);
  await terminal.waitFor(/4 of 6/);
  await place.finish(2);
  await terminal.exit;
  expect(await terminal.transcript()).toMatch(/^natter: 6 of 6 items answered/);
  expect(terminal.output()).not.toContain('\n4 of 6');
});

test('on a terminal without input, the failure shows how to start a batch', async () => {
  const terminal = openTerminal(['batch']);
  expect((await terminal.exit).exitCode).toBe(2);
  expect(await terminal.transcript()).toContain('natter batch prompts.txt');
});

/** Runs a batch on a full disk, with `input` in a pipe that stays open. */
async function runOnFullDisk({ folder, env }: BatchPlace, words: string, input = '') {
  // Blocks of 512 bytes or 1 kB, depending on the shell; a write beyond the limit fails as on a full disk.
  const limited = `trap '' XFSZ; ulimit -f 2; exec "${process.execPath}" "${binary}" batch`;
  const options = { cwd: folder, env: cleanEnvironment(env) };
  const shell = spawn('/bin/sh', ['-c', `${limited} ${words} -o out.jsonl`], options);
  let [stdout, stderr] = ['', ''];
  shell.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  shell.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  shell.stdin.write(input);
  const code = await new Promise((resolve) => shell.on('close', resolve));
  return { code, stdout, stderr };
}

test('X21: a full disk ends a batch that waits for more input', async () => {
  const place = await openBatchPlace();
  const { code, stderr } = await runOnFullDisk(place, '- --concurrency 64', promptLines(20));
  expect(code).toBe(12);
  expect(stderr).toContain('cannot write out.jsonl');
});

test('Y7: a long pause requested by the service is reported where no progress is shown', async () => {
  const faults = [rule('429 retry-after=60')];
  const clock = createFakeClock();
  const place = await openBatchPlace(faults, { clock });
  place.write('p.txt', promptLines(2));
  const natter = place.start(['p.txt', '--concurrency', '1']);
  await natter.waitFor('stderr', /rate limit/);
  natter.child.kill('SIGINT');
  const { stderr } = await natter.result;
  // On a busy machine the second item is refused some seconds after the first, whose wait counts.
  expect(stderr).toMatch(/^natter: rate limit: pausing new requests for 6\d s$/m);
});

test('D9 answers that do not fit on the disk are printed, and the next run requests them again', async () => {
  const place = await openPrompts(20);
  const { code, stdout } = await runOnFullDisk(place, 'p.txt');
  expect(code).toBe(12);
  const [saved, printed] = [place.results('out.jsonl'), parseResults(stdout)];
  expect(printed.length).toBeGreaterThan(0);
  expect(saved.length + printed.length).toBe(place.asked.length);
  expect((await place.run(['p.txt', '-o', 'out.jsonl'])).code).toBe(0);
  expectComplete(place, 'out.jsonl', 20);
});

/** If Node opens a debugger, it uses a free port and reports it on standard error. */
const anyPort = { NODE_OPTIONS: '--inspect-port=0' };

test.each([
  ['P5 Ctrl+C', 'SIGINT', /press Ctrl\+C again to cancel them/, { signal: 'SIGINT' }, 'stopped'],
  ['SIGTERM', 'SIGTERM', /SIGTERM: finishing .* within 25 s/, { code: 75 }, 'stopped by SIGTERM'],
  ['X4 SIGUSR1', 'SIGUSR1', /SIGUSR1: finishing running/, { code: 75 }, 'stopped by SIGUSR1'],
] as const)(
  '%s lets the answers in progress finish, and starts no more',
  async (_, signal, notice, ending, stopped) => {
    const place = await openSlowPrompts(20);
    const options = ['-o', 'out.jsonl', '--concurrency', '3'];
    const natter = place.start(['p.txt', ...options], { env: anyPort });
    await place.finish(3);
    await place.inProgress(3);
    natter.child.kill(signal);
    await natter.waitFor('stderr', notice);
    await place.finish(3);
    const end = await natter.result;
    expect(end).toMatchObject(ending);
    expect(end.stderr).toContain(`natter: ${stopped}: 6 of 20 items answered in `);
    expect(end.stderr).toMatch(/, 14 left(;|\n ) run the same command again for the rest/);
    expect(end.stderr).not.toContain('Debugger');
    const results = place.results('out.jsonl');
    expect([results.length, place.asked.length]).toEqual([6, 6]);
    expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(place.has('out.jsonl.lock')).toBe(false);
  },
);

test('SIGTERM ends a batch that waits for more input', async () => {
  const place = await openBatchPlace();
  const natter = place.start(['-'], { input: 'one\n', keepInputOpen: true });
  await natter.waitFor('stdout', /"index":1/);
  natter.child.kill('SIGTERM');
  const end = await natter.result;
  expect(end.code).toBe(75);
  expect(end.stderr).toMatch(/1 item answered in .*, input not fully read/);
});
