import { describe, expect, test } from 'vitest';
import { promptLines } from '../../../support/batch.ts';
import { rule } from '../../../sandbox/sandbox-helpers.ts';
import { openQueuePlace } from './queue-helpers.ts';

async function answeredPlace(count: number) {
  const place = await openQueuePlace();
  place.write('p.txt', promptLines(count));
  await place.submit('p.txt');
  await place.work().ended;
  return place;
}

describe('natter batch collect', () => {
  test('writes the results in the order of the input', async () => {
    const place = await answeredPlace(12);
    const { stderr } = await place.collect('out.jsonl');
    expect(stderr).toMatch(/^natter: batch p: 12 of 12 items answered in /);
    const results = place.results('out.jsonl');
    expect(results.map(({ index, content }) => [index, content])).toEqual(
      Array.from({ length: 12 }, (_, at) => [at + 1, `prompt ${at + 1}`]),
    );
  });

  test('prints them without a file', async () => {
    const place = await answeredPlace(2);
    const { stdout } = await place.collect(undefined);
    expect(stdout.match(/"content":"prompt \d"/g)).toEqual([
      '"content":"prompt 1"',
      '"content":"prompt 2"',
    ]);
  });

  test('adds what is new, and reports what is left', async () => {
    const place = await answeredPlace(3);
    place.write('p.txt', promptLines(5));
    await place.submit('p.txt');
    await expect(place.collect('out.jsonl')).rejects.toMatchObject({
      kind: 'unfinished',
      message: expect.stringContaining('3 of 5 items answered') as string,
    });
    expect(place.results('out.jsonl').length).toBe(3);
    await place.work().ended;
    const { stderr } = await place.collect('out.jsonl');
    expect(stderr).toContain('5 of 5 items answered (3 before)');
    expect(place.results('out.jsonl').length).toBe(5);
  });

  test('fails as natter batch does for failed items', async () => {
    const place = await openQueuePlace([rule('status=400')]);
    place.write('p.txt', promptLines(1));
    await place.submit('p.txt');
    await expect(place.work().ended).rejects.toMatchObject({ kind: 'invalid_request' });
    await expect(place.collect('out.jsonl')).rejects.toMatchObject({
      kind: 'invalid_request',
      message: expect.stringContaining('1 failed: 1 invalid_request') as string,
    });
    expect(place.results('out.jsonl')).toMatchObject([{ error: { kind: 'invalid_request' } }]);
  });

  test('names the first failed item of each cause, as natter batch does', async () => {
    const place = await openQueuePlace([rule('status=400', { prompt: 'prompt 2' })]);
    place.write('p.txt', `\n${promptLines(3)}`);
    await place.submit('p.txt');
    await expect(place.work().ended).rejects.toMatchObject({ kind: 'invalid_request' });
    const { failure, stderr } = await place.collectFailures('out.jsonl');
    expect(failure).toMatchObject({ kind: 'invalid_request' });
    expect(stderr).toMatch(/^natter: first failure \(invalid_request\), line 3: the service /);
  });

  test.each([
    ['has a different prompt', promptLines(2).replaceAll('prompt', 'fact')],
    ['the batch has no item 2', promptLines(1)],
  ])('refuses a file of a different batch: %s', async (words, input) => {
    const place = await answeredPlace(2);
    await place.collect('out.jsonl');
    place.write('other.txt', input);
    await place.submit('other.txt');
    const before = place.results('out.jsonl');
    await expect(place.collect('out.jsonl', { batch: 'other' })).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(words) as string,
    });
    expect(place.results('out.jsonl')).toEqual(before);
  });

  test('--remove deletes the batch when all results are in the file', async () => {
    const place = await answeredPlace(1);
    await place.collect('out.jsonl', { remove: true });
    expect(await place.connection.batches()).toEqual([]);
  });

  test('--remove keeps a batch with items that have no result, unless --force is set', async () => {
    const place = await openQueuePlace();
    place.write('p.txt', promptLines(1));
    await place.submit('p.txt');
    await expect(place.collect('out.jsonl', { remove: true })).rejects.toThrow('0 of 1');
    expect(await place.connection.batches()).toEqual(['p']);
    await expect(place.collect('out.jsonl', { remove: true, force: true })).rejects.toThrow(
      '0 of 1',
    );
    expect(await place.connection.batches()).toEqual([]);
  });

  test.each([
    [{ remove: true }, '--remove needs a file'],
    [{ force: true }, '--force is only for --remove'],
  ])('refuses %j without a file', async (options, message) => {
    const place = await openQueuePlace();
    await expect(place.collect(undefined, options)).rejects.toThrow(message);
  });
});
