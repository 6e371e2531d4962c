import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { rule } from '../sandbox/sandbox-helpers.ts';
import { openBatchPlace, promptLines, type BatchPlace } from '../support/batch.ts';
import { binary, cleanEnvironment } from '../support/natter.ts';

const container = ['--pid', '--fork', '--mount-proc', '--kill-child=KILL', '--'];
const mayUnshare = spawnSync('unshare', [...container, 'true']).status === 0;
if (!mayUnshare) {
  process.stderr.write(
    'natter as process 1 is not tested: this machine does not permit `unshare --pid`\n',
  );
}

/** Starts natter as process 1 of a new namespace. */
function startInContainer(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): ChildProcess {
  const child = spawn('unshare', [...container, process.execPath, binary, ...words], {
    env: cleanEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Kills process 1 itself, as the end of a container does. */
async function killProcessOne(child: ChildProcess): Promise<void> {
  const children = `/proc/${child.pid}/task/${child.pid}/children`;
  process.kill(Number(readFileSync(children, 'utf8')), 'SIGKILL');
  await once(child, 'close');
}

/** As if a lock had not been renewed for a minute. */
function expire(lock: string): void {
  const time = Date.now() / 1000 - 61;
  utimesSync(lock, time, time);
}

const locksIn = (folder: string) => readdirSync(folder).filter((name) => name.includes('.lock'));
const whole = {
  code: 0,
  stderr: expect.stringMatching(/5 of 5 items answered \(\d before\)/) as string,
};

/** A place with five prompts, whose service stops in the second answer, and the environment of one that answers all. */
async function stalledPlace() {
  const place = await openBatchPlace([rule('stall', { prompt: 'prompt 2' })]);
  place.write('p.txt', promptLines(5));
  const { env } = await openBatchPlace();
  return { place, env };
}

const words = ['p.txt', '-o', 'out.jsonl', '--concurrency', '1'];
const hasResult = (place: BatchPlace) => () =>
  place.has('out.jsonl') && place.read('out.jsonl') !== '';

describe.skipIf(!mayUnshare)('natter as process 1', () => {
  test('X7: a killed batch resumes in a new namespace after its lock has expired', async () => {
    const { place, env } = await stalledPlace();
    const first = startInContainer(['batch', ...words], place.env, place.folder);
    await vi.waitUntil(hasResult(place), { timeout: 20_000 });
    await killProcessOne(first);
    // The kernel may give the new namespace the number of the old one; then the lock is dead at once.
    expire(join(place.folder, 'out.jsonl.lock'));
    const second = startInContainer(['batch', ...words], env, place.folder);
    let stderr = '';
    second.stderr?.on('data', (chunk: Buffer) => (stderr += String(chunk)));
    second.stdout?.resume();
    const [code] = (await once(second, 'close')) as [number | null];
    expect({ code, stderr }).toEqual(whole);
    expect(locksIn(place.folder)).toEqual([]);
  });
});

describe('a lock of the same machine', () => {
  test('X7: left by a killed batch is removed at once', async () => {
    const { place, env } = await stalledPlace();
    const first = place.start(words);
    await vi.waitUntil(hasResult(place), { timeout: 20_000 });
    first.child.kill('SIGKILL');
    await first.result;
    expect(await place.run(words, { env })).toMatchObject(whole);
  });

  test.skipIf(process.platform !== 'linux')(
    'X7: is removed at once if its process id now belongs to a different process',
    async () => {
      const { place, env } = await stalledPlace();
      const first = place.start(words);
      await vi.waitUntil(hasResult(place), { timeout: 20_000 });
      first.child.kill('SIGKILL');
      await first.result;
      const lock = JSON.parse(place.read('out.jsonl.lock')) as object;
      // As if this process had the id of the killed natter.
      place.write('out.jsonl.lock', JSON.stringify({ ...lock, processId: process.pid }));
      expect(await place.run(words, { env })).toMatchObject(whole);
    },
  );
});

describe('a lock of a different host', () => {
  const owner = {
    host: 'node-17',
    processId: 4711,
    space: { boot: '9a1c', namespace: 'pid:[4026531836]' },
    start: '5000',
    since: '2026-11-20T12:00:00.000Z',
    token: 'theirs',
  };
  const leave = (path: string, age: number) => {
    writeFileSync(path, JSON.stringify(owner));
    const time = Date.now() / 1000 - age;
    utimesSync(path, time, time);
  };
  const waiting =
    /another natter \(process 4711 on node-17\) has out\.jsonl open; checking for up to/;

  test('X8: is removed if it was not renewed for a minute', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(5));
    leave(join(place.folder, 'out.jsonl.lock'), 61);
    expect(await place.run(words)).toMatchObject({ code: 0 });
    expect(locksIn(place.folder)).toEqual([]);
  });

  test('X8: expires while natter waits, and the batch resumes', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(5));
    const lock = join(place.folder, 'out.jsonl.lock');
    leave(lock, 30);
    const natter = place.start(words);
    await natter.waitFor('stderr', waiting);
    leave(lock, 61);
    expect(await natter.result).toMatchObject({ code: 0 });
  });

  test('X8: that is renewed meanwhile stays valid', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(5));
    const lock = join(place.folder, 'out.jsonl.lock');
    leave(lock, 30);
    const natter = place.start(words);
    await natter.waitFor('stderr', waiting);
    leave(lock, 0);
    const { code, stderr } = await natter.result;
    expect(code).toBe(12);
    expect(stderr).toContain('another natter (process 4711 on node-17) is writing out.jsonl');
    expect(readFileSync(lock, 'utf8')).toContain('theirs');
  });
});
