import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openBatchPlace, promptLines } from '../support/batch.ts';

const limited =
  '--semi-space-growth-factor=1\n--heap-growing-percent=10\n--semi-space-growth-factor=2\n--heap-growing-percent=0\n';

test.each([
  [999, ''],
  [1000, limited],
])("a batch of %d items sets these limits of V8's heap: %j", async (items, flags) => {
  const place = await openBatchPlace();
  place.write('p.txt', promptLines(items));
  place.write('flags', '');
  const preload = `--require=${resolve('test/support/v8-flags.cjs')}`;
  const env = { NODE_OPTIONS: preload, V8_FLAGS: 'flags' };
  const words = ['p.txt', '-o', 'out.jsonl', '--concurrency', '16'];
  expect((await place.run(words, { env })).code).toBe(0);
  expect(place.read('flags')).toBe(flags);
});
