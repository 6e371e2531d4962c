// Three workers of a queue on a real Redis: one is killed, Redis is restarted, the shared rate limit is measured.
// BullMQ and ioredis are installed from the registry into the folder of the test, as a user would.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isInstalled, until } from './place.js';

const concurrency = 16;
const password = 'queue-test-password';

const serverName = () => ['redis-server', 'valkey-server'].find(isInstalled);

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** A separate Redis on loopback, with an append-only file; BullMQ; and natter with the queue. */
async function open(place) {
  writeFileSync(place.path('package.json'), '{}');
  const install = ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts'];
  const { status } = spawnSync('npm', [...install, 'bullmq', 'ioredis'], { cwd: place.folder });
  if (status !== 0) return { missing: 'bullmq and ioredis cannot be installed', close() {} };
  const port = await freePort();
  mkdirSync(place.path('redis'));
  const words = ['--bind', '127.0.0.1', '--dir', place.path('redis'), '--appendonly', 'yes'];
  const options = [...words, '--port', `${port}`, '--save', '', '--requirepass', password];
  const startServer = () => spawn(serverName(), options, { stdio: 'ignore' });
  let server = startServer();
  const close = async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    await ended;
  };
  await sleep(500);
  const env = {
    NODE_PATH: place.path('node_modules'),
    NATTER_QUEUE: `redis://:${password}@127.0.0.1:${port}/0`,
  };
  const start = (...batch) => place.start('natter', ['batch', ...batch], env);
  return {
    close,
    /** @param pause milliseconds without a server */
    async restart(pause) {
      await close();
      await sleep(pause);
      server = startServer();
    },
    /** @returns what it prints to standard error */
    async run(...batch) {
      const natter = start(...batch);
      assert.equal(await natter.end, 0, `natter batch ${batch.join(' ')}: ${natter.stderr}`);
      return natter.stderr;
    },
    work: (batch) => start('work', '--concurrency', `${concurrency}`, '--batch', batch),
  };
}

/** Writes `name.jsonl`, an input of `items` prompts. */
function writeInput(place, name, items) {
  const lines = Array.from({ length: items }, (_, at) =>
    JSON.stringify({ id: `${name}${at + 1}`, prompt: `${name} ${at + 1}` }),
  );
  writeFileSync(place.path(`${name}.jsonl`), `${lines.join('\n')}\n`);
}

async function tryKills(place, { run, restart, work }) {
  const items = 5000;
  const { asked, repeats } = place.service;
  writeInput(place, 'fact', items);
  await run('submit', 'fact.jsonl');
  assert.match(await run('submit', 'fact.jsonl'), /0 items added, 5,000 were there before/);
  const [first, ...others] = [work('fact'), work('fact'), work('fact')];
  await until(() => asked.length > 1000);
  // natter is a process of the shell script that starts it, which it replaces.
  first.child.kill('SIGKILL');
  await until(() => asked.length > 2000);
  await restart(1500);
  for (const worker of others) {
    assert.equal(await worker.end, 0, worker.stderr);
    assert.match(worker.stderr, /the connection to .* is lost/);
  }
  await run('collect', '--batch', 'fact', '-o', 'answers.jsonl');
  const numbers = Array.from({ length: items }, (_, at) => at + 1);
  assert.deepEqual(
    place.results('answers.jsonl').map(({ index, id, content }) => [index, id, content]),
    numbers.map((number) => [number, `fact${number}`, `fact ${number}`]),
  );
  assert.equal(asked.length - repeats(), items);
  assert.ok(repeats() <= concurrency, `${repeats()} prompts were repeated`);
  return `${items} of ${items} answered, none twice; ${repeats()} sent again (at most ${concurrency})`;
}

async function tryRate(place, { run, work }) {
  const [items, rate] = [600, 1200];
  writeInput(place, 'pace', items);
  await run('submit', 'pace.jsonl', '--rpm', `${rate}`);
  const workers = [work('pace'), work('pace'), work('pace')];
  for (const worker of workers) assert.equal(await worker.end, 0, worker.stderr);
  const times = place.service.asked
    .filter(({ prompt }) => prompt.startsWith('pace'))
    .map(({ time }) => time);
  assert.equal(times.length, items);
  // The requests of the first second start together, and so do those of the last.
  const last = items - rate / 60;
  const measured = (last / (times[last] - times[0])) * 60_000;
  const share = measured / rate;
  assert.ok(share > 0.95 && share <= 1.05, `${share.toFixed(3)} of the rate`);
  return `${Math.round(measured)} requests a minute of ${rate}`;
}

export const queue = {
  name: 'queue',
  items: 0,
  delay: 150,
  missing: () => (serverName() === undefined ? 'redis-server is not installed' : undefined),
  open,
  cases: [
    ['3 workers, one killed, Redis restarted', tryKills],
    ['--rpm shared by 3 workers', tryRate],
  ],
};
