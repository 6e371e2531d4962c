import { expect, test } from 'vitest';
import { rule } from '../sandbox/sandbox-helpers.ts';
import { openBatchPlace, promptLines } from '../support/batch.ts';

const count = 3000;

test('of 3,000 items with 5 % of 429s and 1 % of cuts, none is missing or duplicated', async () => {
  const place = await openBatchPlace([
    rule('429 retry-after=0.01 every=20'),
    rule('echo fin cut-after=1 every=100'),
  ]);
  place.write('p.txt', promptLines(count));
  const words = ['p.txt', '-o', 'out.jsonl', '--concurrency', '16'];
  const first = await place.run(words);
  expect(first.code).toBe(75);
  const cut = place.results('out.jsonl').filter(({ error }) => error !== undefined);
  expect(cut.length).toBeGreaterThan(20);
  expect(new Set(cut.map(({ error }) => error?.kind))).toEqual(new Set(['incomplete']));
  expect(place.results('out.jsonl')).toHaveLength(count);
  const refused = place.asked.length - count;
  expect(refused).toBeGreaterThan(100);

  const again = await place.run([...words, '--retry-incomplete', '5']);
  expect(again.code).toBe(0);
  const results = place.results('out.jsonl');
  expect(results.map(({ index }) => index)).toEqual(
    Array.from({ length: count }, (_, at) => at + 1),
  );
  expect(results.map(({ content }) => `${content}\n`).join('')).toBe(promptLines(count));
}, 240_000);

test('during many 429s all workers wait, and then all items are answered', async () => {
  const place = await openBatchPlace([rule('429 retry-after=0.2 times=30')]);
  place.write('p.txt', promptLines(20));
  const { code, stdout } = await place.run(['p.txt', '--concurrency', '8', '--retries', '20']);
  expect(code).toBe(0);
  expect(stdout.trim().split('\n')).toHaveLength(20);
  // Eight requests at first; later only those in progress are repeated, until the 429s end.
  expect(place.asked.length).toBe(50);
}, 240_000);

test('a pause longer than the limit ends the batch at once', async () => {
  const place = await openBatchPlace([rule('429 retry-after=3600')]);
  place.write('p.txt', promptLines(20));
  const { code, stderr } = await place.run(['p.txt', '-o', 'out.jsonl', '--concurrency', '1']);
  expect(code).toBe(75);
  expect(place.asked).toHaveLength(1);
  expect(stderr).toContain(
    '1 failed: 1 rate_limited, 19 left; stopped because further items would fail too: ',
  );
  expect(stderr).toContain('Retry-After is 1 h');
});
