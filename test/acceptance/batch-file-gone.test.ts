import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rule } from '../sandbox/sandbox-helpers.ts';
import { openBatchPlace, parseResults, promptLines } from '../support/batch.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { passTime } from '../support/held-sandbox.ts';

/** A batch whose answers, one after the other, end when `finish` says so. */
async function startBatch(items: number) {
  const clock = createFakeClock();
  const place = await openBatchPlace([rule('tokens=20 rate=20')], { clock });
  place.write('p.txt', promptLines(items));
  const folder = join(place.folder, 'results');
  mkdirSync(folder);
  const natter = place.start(['p.txt', '-o', 'results/out.jsonl', '--concurrency', '1']);
  return {
    place,
    folder,
    natter,
    finish: () => passTime(clock, 1500, 1),
    underWay: () => passTime(clock, 0, 1),
  };
}

test('X10: a file of results that is deleted meanwhile is whole at the end', async () => {
  const { place, folder, natter, finish, underWay } = await startBatch(3);
  await finish();
  await finish();
  await underWay();
  rmSync(folder, { recursive: true });
  await finish();
  const { code, stderr } = await natter.result;
  expect(code).toBe(0);
  expect(stderr).toContain('warning: results/out.jsonl was deleted during the run');
  expect(place.results('results/out.jsonl').map(({ index }) => index)).toEqual([1, 2, 3]);
});

test('X10: results that no file can hold any more are on standard output, with exit code 12', async () => {
  const { folder, natter, finish, underWay } = await startBatch(2);
  await finish();
  await underWay();
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  await finish();
  const { code, stdout, stderr } = await natter.result;
  expect(code).toBe(12);
  expect(stderr).toContain('results/out.jsonl was deleted during the run');
  expect(parseResults(stdout).map(({ index }) => index)).toEqual([1, 2]);
});
