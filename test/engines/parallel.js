// GNU parallel starts the shards that exit with 75 again, and not those that finished.
import assert from 'node:assert/strict';
import { isInstalled } from './place.js';

const items = 80;
const shards = ['1', '2', '3', '4'];

async function tryRetries(place) {
  const command = 'natter batch prompts.txt --shard {}/4 -o piece-{}.jsonl --stop-after 2s';
  const run = place.start('parallel', ['--retries', '10', command, ':::', ...shards]);
  assert.equal(await run.end, 0, run.stderr);
  // GNU parallel shows only what the last start of a job prints.
  const resumed = run.stderr.split('\n').filter((line) => line.includes(' before)'));
  assert.equal(resumed.length, shards.length, run.stderr);
  const answers = shards.flatMap((shard) => place.results(`piece-${shard}.jsonl`));
  assert.deepEqual(new Set(answers.map(({ content }) => content)), new Set(place.prompts));
  assert.equal(answers.length, items);
  assert.equal(place.service.repeats(), 0);
  return `${items} of ${items} items answered once; every shard was started again and resumed`;
}

export const parallel = {
  name: 'parallel',
  items,
  delay: 500,
  missing: () => (isInstalled('parallel') ? undefined : 'parallel not installed'),
  cases: [['--retries with exit code 75', tryRetries]],
};
