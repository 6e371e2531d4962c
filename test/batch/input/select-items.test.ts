import { describe, expect, test } from 'vitest';
import { formatOfName } from '../../../src/batch/input/read-items.ts';
import type { InputItem } from '../../../src/batch/input/item.ts';
import {
  isInShard,
  itemStatusOf,
  parseShard,
  type Selection,
  takeSample,
} from '../../../src/batch/input/select-items.ts';
import { Failure } from '../../../src/failure.ts';

const item = (index: number): InputItem => ({
  index,
  line: index + 10,
  id: undefined,
  content: { messages: [{ role: 'user', content: `prompt ${index}` }] },
});
const badItem = (index: number): InputItem => ({
  index,
  line: index + 10,
  id: undefined,
  problem: 'is not JSON',
});

/** Items 1 and 2 are answered, 3 failed. */
const selection: Selection = {
  sample: undefined,
  takes: () => true,
  resultsName: 'out.jsonl',
  refusesSandbox: false,
  fingerprint: ({ index }) => String(index),
  results: {
    last: 3,
    find: (index) =>
      index > 3
        ? undefined
        : {
            index,
            fingerprint: String(index),
            isAnswered: index < 3,
            file: 0,
            offset: 0,
            length: 1,
          },
  },
};

describe('an item', () => {
  test.each([
    ['that is answered', item(1), 'answered'],
    ['that failed', item(3), 'pending'],
    ['that failed and cannot be sent now', badItem(3), 'pending'],
    ['without a result', item(4), 'pending'],
  ])('%s is %s', (_, one, status) => {
    expect(itemStatusOf(one, selection)).toBe(status);
  });

  test('that the sandbox answered is refused if a service is asked', () => {
    const found = { index: 1, fingerprint: '1', isAnswered: true, isFromSandbox: true };
    const results = { last: 1, find: () => ({ ...found, file: 0, offset: 0, length: 1 }) };
    expect(itemStatusOf(item(1), { ...selection, results })).toBe('answered');
    expect(() => itemStatusOf(item(1), { ...selection, results, refusesSandbox: true })).toThrow(
      'out.jsonl has the answer of the sandbox to item 1 (line 11 of the input)',
    );
  });

  test('of a different shard is elsewhere', () => {
    const second = { ...selection, takes: (index: number) => isInShard(index, parseShard('2/2')) };
    expect(itemStatusOf(item(5), second)).toBe('elsewhere');
    expect(itemStatusOf(item(6), second)).toBe('pending');
  });

  test.each([
    ['a different prompt', item(2), { ...selection, fingerprint: () => 'other' }],
    ['unsendable', badItem(2), selection],
  ])('that was answered and is now %s is refused', (_, one, changed) => {
    expect(() => itemStatusOf(one, changed)).toThrow(
      'out.jsonl has the answer to a different prompt for item 2 (line 12 of the input)',
    );
  });

  test('that failed may have a different prompt now', () => {
    expect(itemStatusOf(item(3), { ...selection, fingerprint: () => 'other' })).toBe('pending');
  });
});

describe('shards', () => {
  test.each([1, 2, 3, 7])('%d shards contain every item once', (count) => {
    const shards = Array.from({ length: count }, (_, index) => parseShard(`${index + 1}/${count}`));
    for (let index = 1; index <= 20; index += 1) {
      expect(shards.filter((shard) => isInShard(index, shard))).toHaveLength(1);
    }
  });

  test.each(['', '1', '0/2', '3/2', '1/0', '-1/2', '1.5/2', '1/2/3', 'a/b'])(
    '%j is refused',
    (text) => {
      expect(() => parseShard(text)).toThrow(Failure);
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
