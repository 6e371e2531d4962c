// Three workers of a queue on a real Redis: one is killed, Redis is restarted, the shared rate limit is measured.
// BullMQ and ioredis are installed from the registry into a separate folder, as a user would.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { findServer, startServer } from './redis-server.js';

const program = resolve('bin/natter.cjs');
const concurrency = 16;
/** Milliseconds of an answer. */
const delay = 150;

const lines = (text) => text.split('\n').filter((line) => line !== '');

/** A sandbox that records the prompt and the time of each request. */
async function startService() {
  const words = ['sandbox', '--log', '--delay', `${delay}ms`, '--reply', 'echo'];
  const sandbox = spawn(process.execPath, [program, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const requests = [];
  createInterface({ input: sandbox.stdout }).on('line', (line) => {
    const prompt = JSON.parse(line).body?.messages.at(-1).content;
    if (prompt !== undefined) requests.push({ prompt, time: performance.now() });
  });
  const url = await new Promise((found) => {
    createInterface({ input: sandbox.stderr }).on('line', (line) => {
      const [address] = /http:\S+/.exec(line) ?? [];
      if (address !== undefined) found(address);
    });
  });
  return { url, requests, stop: () => sandbox.kill() };
}

/** A folder in which natter runs, with BullMQ and ioredis. */
function createPlace(folder, server, service) {
  writeFileSync(join(folder, 'package.json'), '{}');
  const install = ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts'];
  const { status } = spawnSync('npm', [...install, 'bullmq', 'ioredis'], { cwd: folder });
  if (status !== 0) return undefined;
  const env = {
    ...process.env,
    HOME: folder,
    NODE_PATH: join(folder, 'node_modules'),
    NATTER_QUEUE: server.url,
    NATTER_BASE_URL: service.url,
    NATTER_API_KEY: 'sandbox-key',
  };
  const start = (words) => {
    const child = spawn(process.execPath, [program, 'batch', ...words], { cwd: folder, env });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (bytes) => (output.stdout += bytes));
    child.stderr.on('data', (bytes) => (output.stderr += bytes));
    const ended = new Promise((end) => child.once('close', (code) => end({ code, ...output })));
    return { child, ended };
  };
  return {
    folder,
    start,
    async run(...words) {
      const { code, stdout, stderr } = await start(words).ended;
      assert.equal(code, 0, `natter batch ${words.join(' ')}: ${stderr}`);
      return { stdout, stderr };
    },
    write(name, count, word) {
      const items = Array.from({ length: count }, (_, at) => ({
        id: `${word}${at + 1}`,
        prompt: `${word} ${at + 1}`,
      }));
      writeFileSync(join(folder, name), items.map((item) => `${JSON.stringify(item)}\n`).join(''));
    },
    results: (name) =>
      lines(readFileSync(join(folder, name), 'utf8')).map((line) => JSON.parse(line)),
  };
}

const workers = (place, count, ...words) =>
  Array.from({ length: count }, () =>
    place.start(['work', '--concurrency', String(concurrency), ...words]),
  );

async function until(condition) {
  for (let turns = 0; turns < 3000; turns += 1) {
    if (condition()) return;
    await sleep(50);
  }
  throw new Error('it did not happen within 150 seconds');
}

async function survivesKills({ place, server, service }) {
  const items = 5000;
  place.write('facts.jsonl', items, 'fact');
  await place.run('submit', 'facts.jsonl');
  const { stderr } = await place.run('submit', 'facts.jsonl');
  assert.match(stderr, /0 items added, 5,000 were there before/);
  const [first, ...others] = workers(place, 3, '--batch', 'facts');
  await until(() => service.requests.length > 1000);
  first.child.kill('SIGKILL');
  await until(() => service.requests.length > 2000);
  await server.restart(1500);
  for (const { code, stderr: text } of await Promise.all(others.map(({ ended }) => ended))) {
    assert.equal(code, 0, text);
    assert.match(text, /the connection to .* is lost/);
  }
  await place.run('collect', '--batch', 'facts', '-o', 'facts-answers.jsonl');
  const results = place.results('facts-answers.jsonl');
  const indexes = results.map(({ index }) => index);
  assert.deepEqual(
    indexes,
    Array.from({ length: items }, (_, at) => at + 1),
  );
  for (const { index, id, content } of results) {
    assert.deepEqual([id, content], [`fact${index}`, `fact ${index}`]);
  }
  const asked = new Map();
  for (const { prompt } of service.requests) asked.set(prompt, (asked.get(prompt) ?? 0) + 1);
  const again = [...asked.values()].filter((times) => times > 1);
  assert.equal(asked.size, items);
  assert.ok(Math.max(...again, 0) <= 2 && again.length <= concurrency, `${again.length} again`);
  return `${items} of ${items} answered, none twice; ${again.length} asked again (at most ${concurrency})`;
}

async function holdsRate({ place, service }) {
  const [items, rate] = [600, 1200];
  place.write('paced.jsonl', items, 'pace');
  await place.run('submit', 'paced.jsonl', '--rpm', String(rate));
  const before = service.requests.length;
  const ends = await Promise.all(workers(place, 3, '--batch', 'paced').map(({ ended }) => ended));
  assert.deepEqual(
    ends.map(({ code }) => code),
    [0, 0, 0],
  );
  const times = service.requests.slice(before).map(({ time }) => time);
  assert.equal(times.length, items);
  // The requests of the first second start together, and so do those of the last.
  const last = items - rate / 60;
  const measured = (last / (times[last] - times[0])) * 60_000;
  const share = measured / rate;
  assert.ok(share > 0.95 && share <= 1.05, `${share.toFixed(3)} of the rate`);
  return `${Math.round(measured)} requests a minute of ${rate}`;
}

const cases = [
  { title: '3 workers, one killed, Redis restarted', test: survivesKills },
  { title: '--rpm shared by 3 workers', test: holdsRate },
];

/** @param print prints one line @returns the number of failed cases; undefined if nothing could be tried */
export async function testQueue(print) {
  const name = findServer();
  if (name === undefined) return void print('queue: not tried: redis-server is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'natter-queue-'));
  const server = await startServer(name);
  const service = await startService();
  let failed = 0;
  try {
    const place = createPlace(folder, server, service);
    if (place === undefined) {
      return void print('queue: not tried: bullmq and ioredis cannot be installed');
    }
    for (const { title, test } of cases) {
      const start = performance.now();
      try {
        const found = await test({ place, server, service });
        print(`queue: ${title}: ${found}; ${Math.round((performance.now() - start) / 1000)} s`);
      } catch (error) {
        failed += 1;
        print(`queue: ${title}: FAILED: ${error.message}`);
      }
    }
  } finally {
    service.stop();
    await server.remove();
    rmSync(folder, { recursive: true });
  }
  return failed;
}
