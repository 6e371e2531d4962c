import { describe, expect, test } from 'vitest';
import { formatOfName } from '../../../src/batch/input/read-items.ts';
import type { InputItem } from '../../../src/batch/input/item.ts';
import { chooseShard, isInShard, takeSample } from '../../../src/batch/input/select-items.ts';
import { Failure } from '../../../src/failure.ts';

const item = (index: number): InputItem => ({
  index,
  line: index + 10,
  id: undefined,
  content: { messages: [{ role: 'user', content: `prompt ${index}` }] },
});

describe('shards', () => {
  test.each([1, 2, 3, 7])('%d shards contain every item once', (count) => {
    const shards = Array.from({ length: count }, (_, index) =>
      chooseShard(`${index + 1}/${count}`, {}),
    );
    for (let index = 1; index <= 20; index += 1) {
      expect(shards.filter((shard) => isInShard(index, shard))).toHaveLength(1);
    }
  });

  test.each(['', '1', '0/2', '3/2', '1/0', '-1/2', '1.5/2', '1/2/3', 'a/b'])(
    '%j is refused',
    (text) => {
      expect(() => chooseShard(text, {})).toThrow(Failure);
    },
  );
});

describe('a sample', () => {
  async function* inputOf(total: number) {
    for (let index = 1; index <= total; index += 1) yield item(index);
  }
  const sampleOf = async (size: number, total: number, seed: number) => {
    const sample = await takeSample(inputOf(total), { size, seed });
    expect(sample.total).toBe(total);
    return sample.items.map(({ index }) => index);
  };

  test.each([1, 5, 99])('has exactly the requested number of items: %d', async (size) => {
    for (const seed of [0, 1, 2, 12_345]) {
      const indexes = await sampleOf(size, 100, seed);
      expect(new Set(indexes).size).toBe(size);
      expect(indexes).toEqual(indexes.toSorted((one, other) => one - other));
    }
  });

  test('is the same for the same seed, and different for a different one', async () => {
    expect(await sampleOf(10, 1000, 3)).toEqual(await sampleOf(10, 1000, 3));
    expect(await sampleOf(10, 1000, 3)).not.toEqual(await sampleOf(10, 1000, 4));
  });

  test('stays for the most part when items are added', async () => {
    const before = await sampleOf(50, 1000, 0);
    const after = new Set(await sampleOf(50, 1010, 0));
    expect(before.filter((index) => after.has(index)).length).toBeGreaterThan(45);
  });
});

test.each([
  ['a.txt', 'lines'],
  ['a.jsonl', 'jsonl'],
  ['a.NDJSON', 'jsonl'],
  ['/x.y/a.csv', 'csv'],
  ['a.tsv', 'tsv'],
  ['a.md', undefined],
  ['prompts', undefined],
  ['x.csv/prompts', undefined],
])('the name %s means the format %s', (name, format) => {
  expect(formatOfName(name)).toBe(format);
});

const slurm = (index: number, [least, most, step, count]: readonly number[]) => ({
  SLURM_ARRAY_TASK_ID: String(index),
  SLURM_ARRAY_TASK_MIN: String(least),
  SLURM_ARRAY_TASK_MAX: String(most),
  SLURM_ARRAY_TASK_STEP: String(step),
  SLURM_ARRAY_TASK_COUNT: String(count),
});

const gridEngine = (index: string) => ({
  SGE_TASK_ID: index,
  SGE_TASK_FIRST: index === 'undefined' ? index : '3',
  SGE_TASK_LAST: index === 'undefined' ? index : '11',
  SGE_TASK_STEPSIZE: index === 'undefined' ? index : '4',
});

const lsf = (index: number) => ({
  LSB_JOBINDEX: String(index),
  LSB_JOBINDEX_END: index === 0 ? '0' : '4',
  LSB_JOBINDEX_STEP: index === 0 ? '0' : '1',
});

const amazon = (index: string) => ({
  AWS_BATCH_JOB_ARRAY_INDEX: index,
  AWS_BATCH_JOB_ARRAY_SIZE: '5',
});

describe('--shard auto', () => {
  test.each([
    ['Slurm', slurm(3, [3, 6, 1, 4]), 1, 4],
    ['Slurm, numbered from 0', slurm(7, [0, 7, 1, 8]), 8, 8],
    ['Slurm, with a step', slurm(5, [1, 7, 2, 4]), 3, 4],
    ['Slurm, one job', slurm(9, [9, 9, 0, 1]), 1, 1],
    ['Grid Engine', gridEngine('11'), 3, 3],
    ['LSF', lsf(4), 4, 4],
    ['AWS Batch', amazon('0'), 1, 5],
    ['LSF in a job that is not an array, beside AWS Batch', { ...lsf(0), ...amazon('4') }, 5, 5],
  ])('follows %s', (_, environment, number, count) => {
    expect(chooseShard('auto', environment)).toEqual({ number, count });
  });

  test.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ['no scheduler', {}, 'this is not an array job: none of SLURM_ARRAY_TASK_ID, '],
    ['a job that is not an array', gridEngine('undefined'), 'this is not an array job'],
    [
      'two schedulers',
      { ...slurm(1, [1, 2, 1, 2]), JOB_COMPLETION_INDEX: '0' },
      'both SLURM_ARRAY_TASK_ID and JOB_COMPLETION_INDEX are set',
    ],
    [
      'a missing variable',
      { ...slurm(1, [1, 2, 1, 2]), SLURM_ARRAY_TASK_COUNT: '' },
      'SLURM_ARRAY_TASK_COUNT is not set',
    ],
    [
      'a wrong variable',
      { ...amazon('0'), AWS_BATCH_JOB_ARRAY_INDEX: 'first' },
      'AWS_BATCH_JOB_ARRAY_INDEX is "first", not a whole number',
    ],
    ['gaps', slurm(3, [1, 7, 1, 3]), 'the array has 3 jobs, which are not all numbers from 1 to 7'],
    [
      'an index outside',
      amazon('5'),
      'AWS_BATCH_JOB_ARRAY_INDEX is 5, which is outside the array of 5 jobs from 0',
    ],
    [
      'Kubernetes, without the number of shards',
      { JOB_COMPLETION_INDEX: '0' },
      'JOB_COMPLETION_INDEX has no number of shards beside it',
    ],
    ['PBS', { PBS_ARRAY_INDEX: '1' }, 'PBS_ARRAY_INDEX has no number of shards beside it'],
  ])('refuses %s', (_, environment, message) => {
    expect(() => chooseShard('auto', environment)).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: expect.stringContaining(`--shard auto: ${message}`) as string,
        hint: expect.any(String) as string,
      }) as Failure,
    );
  });
});

describe('--shard auto/n', () => {
  const shardOf = (name: string, index: number) =>
    chooseShard('auto/8', { [name]: String(index) }).number;
  const indexes = (from: number) => Array.from({ length: 8 }, (_, at) => from + at);
  const sorted = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other);

  test.each(['JOB_COMPLETION_INDEX', 'PBS_ARRAY_INDEX', 'PBS_ARRAYID', 'SLURM_ARRAY_TASK_ID'])(
    'gives each job its own shard, numbered by %s from 0 or from 1',
    (name) => {
      const shards = [0, 1].map((from) => indexes(from).map((index) => shardOf(name, index)));
      expect(shards.map(sorted)).toEqual([indexes(1), indexes(1)]);
    },
  );

  test('gives the job the same shard when it is submitted again alone', () => {
    const alone = { ...slurm(3, [3, 3, 0, 1]) };
    expect(chooseShard('auto/8', alone)).toEqual({ number: 3, count: 8 });
  });

  test('refuses a number beyond the last', () => {
    expect(() => shardOf('PBS_ARRAY_INDEX', 9)).toThrow(
      '--shard auto/8: PBS_ARRAY_INDEX is 9, more than 8',
    );
  });

  test('refuses no shards', () => {
    expect(() => chooseShard('auto/0', { PBS_ARRAY_INDEX: '1' })).toThrow(
      '--shard must be i/n with i from 1 to n, not "auto/0"',
    );
  });
});

test('a named shard needs no scheduler', () => {
  expect(chooseShard('2/8', { ...gridEngine('3'), ...lsf(1) })).toEqual({ number: 2, count: 8 });
});
