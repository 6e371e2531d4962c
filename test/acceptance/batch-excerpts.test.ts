import { describe, expect, test } from 'vitest';
import { rule } from '../sandbox/sandbox-helpers.ts';
import { openBatchPlace, parseResults, promptLines } from '../support/batch.ts';

const inOrder = (texts: readonly string[]) =>
  texts.toSorted((one, other) => one.localeCompare(other));

describe('natter batch --limit', () => {
  test('sends only the first items; without it, the others follow', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(5));
    const { code, stderr } = await place.run(['p.txt', '-o', 'out.jsonl', '--limit', '2']);
    expect(code).toBe(0);
    expect(stderr).toContain('2 of 2 items answered');
    expect(inOrder(place.asked)).toEqual(['prompt 1', 'prompt 2']);
    await place.run(['p.txt', '-o', 'out.jsonl']);
    expect(place.results('out.jsonl')).toHaveLength(5);
    expect(place.asked).toHaveLength(5);
  });

  test('does not wait for the rest of a pipe', async () => {
    const place = await openBatchPlace();
    const natter = place.start(['-', '--limit', '1'], { input: 'one\n', keepInputOpen: true });
    expect((await natter.result).code).toBe(0);
    expect(place.asked).toEqual(['one']);
  });

  test('is divided among shards', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(9));
    await place.run(['p.txt', '--limit', '4', '--shard', '2/2']);
    expect(inOrder(place.asked)).toEqual(['prompt 2', 'prompt 4']);
  });
});

describe('natter batch --sample', () => {
  test('sends the same random items each time, so that a run resumes', async () => {
    const place = await openBatchPlace([rule('500 times=1')]);
    place.write('p.txt', promptLines(50));
    const words = ['p.txt', '-o', 'out.jsonl', '--sample', '6', '--retries', '0'];
    expect((await place.run(words)).code).toBe(75);
    const { code, stderr } = await place.run(words);
    expect(code).toBe(0);
    expect(stderr).toContain('6 of 6 items answered (5 before)');
    expect(new Set(place.asked).size).toBe(6);
    expect(place.results('out.jsonl')).toHaveLength(6);
  });

  test('is a different one with --seed', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(50));
    const first = await place.run(['p.txt', '--sample', '6']);
    const second = await place.run(['p.txt', '--sample', '6', '--seed', '1']);
    expect(parseResults(first.stdout)).toHaveLength(6);
    expect(parseResults(second.stdout).map(({ index }) => index)).not.toEqual(
      parseResults(first.stdout).map(({ index }) => index),
    );
  });

  test('of a pipe is refused', async () => {
    const place = await openBatchPlace();
    const { code, stderr } = await place.run(['-', '--sample', '2'], { input: 'one\n' });
    expect(code).toBe(2);
    expect(stderr).toContain('--sample cannot choose from standard input, which is read only once');
  });
});

describe('natter batch --rerun-failed', () => {
  test('sends failed items again in the same run', async () => {
    const place = await openBatchPlace([rule('500 times=2')]);
    place.write('p.txt', promptLines(4));
    const words = ['p.txt', '-o', 'out.jsonl', '--retries', '0', '--rerun-failed', '3'];
    const { code, stderr } = await place.run(words);
    expect(code).toBe(0);
    expect(stderr).toContain('natter: sending 2 failed items again (1 of 3)\n');
    expect(stderr).toContain('4 of 4 items answered');
    expect(stderr).not.toContain('(2 of 3)');
    expect(place.results('out.jsonl').every(({ error }) => error === undefined)).toBe(true);
  });

  test('ends after the last round, with the failures that are left', async () => {
    const place = await openBatchPlace([rule('400')]);
    place.write('p.txt', promptLines(2));
    const words = ['p.txt', '-o', 'out.jsonl', '--rerun-failed', '2'];
    const { code, stderr } = await place.run(words);
    expect(code).toBe(7);
    expect(stderr).toContain('0 of 2 items answered');
    expect(stderr).toContain('2 failed: 2 invalid_request');
    expect(place.asked).toHaveLength(6);
  });

  test('does not repeat a round for invalid lines', async () => {
    const place = await openBatchPlace();
    place.write('p.jsonl', '{"prompt":"a"}\noops\n');
    const { code, stderr } = await place.run(['p.jsonl', '-o', 'out.jsonl', '--rerun-failed', '2']);
    expect(code).toBe(2);
    expect(stderr).not.toContain('again (1 of');
  });

  test.each([
    [['p.txt', '--rerun-failed', '1']],
    [['-', '-o', 'out.jsonl', '--rerun-failed', '1']],
  ])('needs a results file and an input file: %j', async (words) => {
    const place = await openBatchPlace();
    place.write('p.txt', 'one\n');
    const { code, stderr } = await place.run(words, { input: 'one\n' });
    expect(code).toBe(2);
    expect(stderr).toContain('--rerun-failed needs -o FILE and a named input file');
    expect(place.asked).toEqual([]);
  });
});

describe('items that all fail alike', () => {
  const words = ['p.txt', '-o', 'out.jsonl', '--concurrency', '1'];

  test('stop the run at the tenth, unless --keep-going is given', async () => {
    const place = await openBatchPlace([rule('400')]);
    place.write('p.txt', promptLines(15));
    const { code, stderr } = await place.run(words);
    expect(code).toBe(7);
    expect(place.asked).toHaveLength(10);
    expect(stderr).toContain('stopped because further items would fail too: the service rejected');
    expect(stderr).toContain('or send them all with --keep-going');
    expect((await place.run([...words, '--keep-going'])).code).toBe(7);
    expect(place.asked).toHaveLength(25);
  });

  test('do not stop a run that has answers, also of an earlier run', async () => {
    const place = await openBatchPlace();
    const refused = Array.from({ length: 12 }, () => '[sandbox 400] x\n').join('');
    place.write('p.txt', `fine\n${refused}`);
    await place.run(words);
    expect(place.asked).toHaveLength(13);
    await place.run(words);
    expect(place.asked).toHaveLength(25);
  });
});
