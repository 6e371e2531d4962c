import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openBatchPlace, promptLines } from '../support/batch.ts';

const limited = ['--semi-space-growth-factor=1', '--heap-growing-percent=10'];
const usual = ['--semi-space-growth-factor=2', '--heap-growing-percent=0'];
const tuned = ['--no-parallel-scavenge', '--interrupt-budget=16384'];
const untuned = ['--parallel-scavenge', '--interrupt-budget=67584'];
/** Of Node 20 only. */
const isSet = (flag: string) =>
  ![...tuned, ...untuned].includes(flag) || process.version.startsWith('v20.');

test.each([
  [25, []],
  [2999, [...tuned, ...untuned]],
  [3000, [...tuned, ...limited, ...usual, ...untuned]],
])('a batch of %d items sets these flags of V8: %j', async (items, flags) => {
  const place = await openBatchPlace();
  place.write('p.txt', promptLines(items));
  place.write('flags', '');
  const preload = `--require=${resolve('test/support/v8-flags.cjs')}`;
  const env = { NODE_OPTIONS: preload, V8_FLAGS: 'flags' };
  const words = ['p.txt', '-o', 'out.jsonl', '--concurrency', '16'];
  expect((await place.run(words, { env })).code).toBe(0);
  expect(place.read('flags')).toBe(
    flags
      .filter(isSet)
      .map((flag) => `${flag}\n`)
      .join(''),
  );
});
