import { describe, expect, test } from 'vitest';
import { createMerge, missingItems } from '../../../src/batch/results/merge.ts';
import { createResultIndex } from '../../../src/batch/results/result-index.ts';

const result = (index: number, file = 0, isAnswered = true, fingerprint = BigInt(index)) => ({
  index,
  fingerprint,
  isAnswered,
  file,
  offset: index * 100,
  length: 100,
});

function indexOf(indexes: readonly number[]) {
  const index = createResultIndex();
  for (const item of indexes) index.set(result(item));
  return index;
}

describe('missing items', () => {
  test.each([
    [[], 0, ''],
    [[1, 2, 3], 0, ''],
    [[1, 3], 1, '2'],
    [[4, 6], 4, '1-3, 5'],
    [[1, 9, 10, 12], 8, '2-8, 11'],
  ])('between %j', (indexes, count, text) => {
    expect(missingItems(indexOf(indexes))).toEqual({ count, text });
  });

  test('are not all named when they are many', () => {
    const even = Array.from({ length: 20 }, (_, index) => (index + 1) * 2);
    expect(missingItems(indexOf(even))).toEqual({
      count: 20,
      text: '1, 3, 5, 7, 9, 11, 13, 15, 17, 19, …',
    });
  });
});

describe('pieces', () => {
  const merge = () => createMerge(['a.jsonl', 'b.jsonl']);

  test('that answer the same item are refused', () => {
    const merged = merge();
    merged.add(result(7, 0));
    expect(() => merged.add(result(7, 1))).toThrow(
      'item 7 is answered twice, in a.jsonl and b.jsonl',
    );
  });

  test('of different inputs are refused', () => {
    const merged = merge();
    merged.add(result(7, 0, false));
    expect(() => merged.add(result(7, 1, true, 1n))).toThrow(
      'a.jsonl and b.jsonl belong to different inputs: see item 7',
    );
  });

  test.each([
    ['after', [result(7, 0, false), result(7, 1)]],
    ['before', [result(7, 1), result(7, 0, false)]],
  ])('may hold a failure %s an answer, which counts', (_, results) => {
    const merged = merge();
    for (const one of results) merged.add(one);
    expect(merged.index.get(7)).toMatchObject({ file: 1, isAnswered: true });
  });
});

test('an index knows thousands of results, in whatever order they come', () => {
  const index = createResultIndex();
  const count = 5000;
  const order = Array.from({ length: count }, (_, item) => ((item * 1777) % count) + 1);
  for (const item of order) index.set(result(item, item % 3, item % 2 === 0));
  expect([index.count(), index.last()]).toEqual([count, count]);
  for (const item of order) expect(index.get(item)).toEqual(result(item, item % 3, item % 2 === 0));
  expect(index.get(count + 1)).toBeUndefined();
});
