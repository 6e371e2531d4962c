import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rule } from '../sandbox/sandbox-helpers.ts';
import { openBatchPlace, openSlowBatchPlace, parseResults, promptLines } from '../support/batch.ts';

/** No service listens there, so answers must be from a recording. */
const noService = { env: { NATTER_BASE_URL: 'http://127.0.0.1:1' } };
const replay = ['--replay', 'tape.jsonl', '--speed', 'max'];

describe('natter batch and recordings', () => {
  test('a batch is answered from its recording, retries included', async () => {
    const place = await openBatchPlace([rule('429 retry-after=0 every=4')]);
    place.write('p.txt', promptLines(9));
    const recorded = await place.run(['p.txt', '--record', 'tape.jsonl']);
    const asked = place.asked.length;
    const replayed = await place.run(['p.txt', ...replay], noService);
    expect(replayed.code).toBe(0);
    const figures = (text: string) =>
      parseResults(text).map(({ content, attempts }) => ({ content, attempts }));
    expect(figures(replayed.stdout)).toEqual(figures(recorded.stdout));
    expect(asked).toBeGreaterThan(9);
    expect(place.asked).toHaveLength(asked);
  });

  test('an item missing from the recording does not affect the others', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(6));
    await place.run(['p.txt', '--record', 'tape.jsonl', '-o', 'first.jsonl']);
    place.write('more.txt', `another\n${promptLines(6)}`);
    const words = ['more.txt', '--concurrency', '1', '-o', 'second.jsonl'];
    const { code, stderr } = await place.run([...words, ...replay], noService);
    expect(code).toBe(3);
    expect(stderr).toMatch(/6 of 7 items answered .*; 1 failed: 1 configuration/);
    const [missing] = place.results('second.jsonl');
    expect(missing?.error?.message).toContain('tape.jsonl has no answer');
  });
});

describe('the results file', () => {
  test.each([
    ['the input', ['p.txt', '-o', './p.txt'], './p.txt is the input'],
    ['a second name of the input', ['p.txt', '-o', 'same.txt'], 'same.txt is the input'],
    ['the recording', ['p.txt', '-o', 'a.jsonl', '--record', './a.jsonl'], 'is the recording'],
  ])('may not be %s', async (_, words, message) => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(2));
    linkSync(join(place.folder, 'p.txt'), join(place.folder, 'same.txt'));
    const { code, stderr } = await place.run(words);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(place.read('p.txt')).toBe(promptLines(2));
    expect(place.has('a.jsonl')).toBe(false);
    expect(place.asked).toEqual([]);
  });
});

test.skipIf(process.platform === 'win32')(
  'a file of -o in a loop of symbolic links is reported before the first request',
  async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(2));
    symlinkSync('loop', join(place.folder, 'loop'));
    const { code, stderr } = await place.run(['p.txt', '-o', 'loop/out.jsonl']);
    expect(code).toBe(12);
    expect(stderr).toContain('cannot write loop/out.jsonl: its symbolic links form a loop');
    expect(place.asked).toEqual([]);
  },
);

test('Y24: natter batch merge expands patterns that the shell did not expand', async () => {
  const place = await openBatchPlace();
  place.write('p.txt', promptLines(4));
  for (const number of [1, 2]) {
    await place.run(['p.txt', '--shard', `${number}/2`, '-o', `piece-${number}.jsonl`]);
  }
  expect((await place.run(['merge', 'piece-*.jsonl', '-o', 'all.jsonl'])).code).toBe(0);
  expect(place.results('all.jsonl').map(({ index }) => index)).toEqual([1, 2, 3, 4]);
  const { code, stderr } = await place.run(['merge', 'part-*.jsonl']);
  expect(code).toBe(2);
  expect(stderr).toContain('no file matches part-*.jsonl');
});

test('natter batch merge refuses a folder', async () => {
  const place = await openBatchPlace();
  const { code, stderr } = await place.run(['merge', '.']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'natter: cannot read .: it is a folder\n',
  });
});

/** A batch with one answer at a time, whose results file is in a separate folder. */
async function startBatch(items: number) {
  const place = await openSlowBatchPlace();
  place.write('p.txt', promptLines(items));
  const folder = join(place.folder, 'results');
  mkdirSync(folder);
  const natter = place.start(['p.txt', '-o', 'results/out.jsonl', '--concurrency', '1']);
  return { place, folder, natter };
}

test('X10: a results file that is deleted during the run is complete at the end', async () => {
  const { place, folder, natter } = await startBatch(3);
  await place.finish(1);
  await place.finish(1);
  await place.inProgress(1);
  rmSync(folder, { recursive: true });
  await place.finish(1);
  const { code, stderr } = await natter.result;
  expect(code).toBe(0);
  expect(stderr).toContain('warning: results/out.jsonl was deleted during the run');
  expect(place.results('results/out.jsonl').map(({ index }) => index)).toEqual([1, 2, 3]);
});

test('X10: results that cannot be written to a file are printed on standard output, with exit code 12', async () => {
  const { place, folder, natter } = await startBatch(2);
  await place.finish(1);
  await place.inProgress(1);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  await place.finish(1);
  const { code, stdout, stderr } = await natter.result;
  expect(code).toBe(12);
  expect(stderr).toContain('results/out.jsonl was deleted during the run');
  expect(parseResults(stdout).map(({ index }) => index)).toEqual([1, 2]);
});
