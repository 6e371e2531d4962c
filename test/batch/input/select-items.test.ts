import { describe, expect, test } from 'vitest';
import { formatOfName } from '../../../src/batch/input/read-items.ts';
import type { InputItem } from '../../../src/batch/input/item.ts';
import { isInShard, parseShard, takeSample } from '../../../src/batch/input/select-items.ts';
import { Failure } from '../../../src/failure.ts';

const item = (index: number): InputItem => ({
  index,
  line: index + 10,
  id: undefined,
  content: { messages: [{ role: 'user', content: `prompt ${index}` }] },
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
