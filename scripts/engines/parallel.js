// GNU parallel starts the shards that exit with 75 again, and not those that finished.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { runCases } from './cases.js';
import { isInstalled, openPlace, repeats } from './place.js';

const count = 80;
const shards = 4;

/** @returns the exit code and standard error */
function run(place, words) {
  const child = spawn('parallel', words, {
    cwd: place.folder,
    env: place.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const chunks = [];
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  return new Promise((settle) => {
    child.on('close', (code) => settle({ code, stderr: `${Buffer.concat(chunks)}` }));
  });
}

async function tryRetries(place, note) {
  const numbers = Array.from({ length: shards }, (_, index) => String(index + 1));
  const command = `natter batch prompts.txt --shard {}/${shards} -o piece-{}.jsonl --stop-after 2s`;
  const words = ['--retries', '10', command, ':::', ...numbers];
  const { code, stderr } = await run(place, words);
  // GNU parallel shows only what the last start of a job prints.
  const resumed = stderr.split('\n').filter((line) => line.includes(' before)'));
  assert.equal(code, 0, stderr);
  assert.equal(resumed.length, shards, stderr);
  const answers = numbers.flatMap((number) => place.results(`piece-${number}.jsonl`));
  assert.deepEqual(new Set(answers.map(({ content }) => content)), new Set(place.prompts));
  assert.equal(answers.length, count);
  assert.equal(repeats(place.service), 0);
  note(`${count} of ${count} items answered once; every shard was started again and resumed`);
}

/** @returns the number of failed cases */
export async function testParallel(print) {
  if (!isInstalled('parallel')) {
    print('parallel: not tried; parallel not installed');
    return 0;
  }
  const place = await openPlace(count, 500);
  try {
    const retries = (note) => tryRetries(place, note);
    return await runCases(print, 'parallel', [['--retries with exit code 75', retries]]);
  } finally {
    place.close();
  }
}
