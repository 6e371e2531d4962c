import { describe, expect, test } from 'vitest';
import { addMerged, missingItems } from '../../../src/batch/results/result-index.ts';
import { type IndexedResult, ResultIndex } from '../../../src/batch/results/result-index.ts';

const result = (
  index: number,
  file = 0,
  isAnswered = true,
  fingerprint = String(index).padStart(16, '0'),
) => ({
  index,
  fingerprint,
  isAnswered,
  isFromSandbox: index % 5 === 0,
  file,
  offset: index * 100,
  length: 100,
});

function indexWith(items: readonly number[]) {
  const index = new ResultIndex();
  for (const item of items) index.add(result(item));
  return index;
}

describe('missing items', () => {
  test.each([
    [[], 0, ''],
    [[1, 2, 3], 0, ''],
    [[1, 3], 1, '2'],
    [[4, 6], 4, '1-3, 5'],
    [[1, 9, 10, 12], 8, '2-8, 11'],
  ])('between %j', (items, count, text) => {
    expect(missingItems(indexWith(items))).toEqual({ count, text });
  });

  test('are not all named if there are many', () => {
    const even = Array.from({ length: 20 }, (_, index) => (index + 1) * 2);
    expect(missingItems(indexWith(even))).toEqual({
      count: 20,
      text: '1, 3, 5, 7, 9, 11, 13, 15, 17, 19, …',
    });
  });
});

describe('merged files', () => {
  const open = () => {
    const index = new ResultIndex();
    const add = (one: IndexedResult) => addMerged(index, one, ['a.jsonl', 'b.jsonl']);
    return { index, add };
  };

  test('that answer the same item are refused', () => {
    const merge = open();
    merge.add(result(7, 0));
    expect(() => merge.add(result(7, 1))).toThrow(
      'item 7 is answered twice, in a.jsonl and b.jsonl',
    );
  });

  test('of different inputs are refused', () => {
    const merge = open();
    merge.add(result(7, 0, false));
    expect(() => merge.add(result(7, 1, true, 'other'))).toThrow(
      'a.jsonl and b.jsonl belong to different inputs: see item 7',
    );
  });

  test.each([
    ['after', [result(7, 0, false), result(7, 1)]],
    ['before', [result(7, 1), result(7, 0, false)]],
  ])('may have a failure %s an answer, which wins', (_, results) => {
    const merge = open();
    for (const one of results) merge.add(one);
    expect(merge.index.find(7)).toMatchObject({ file: 1, isAnswered: true });
  });
});

test('an index keeps thousands of results, added in any order', () => {
  const index = new ResultIndex();
  const count = 5000;
  const order = Array.from({ length: count }, (_, item) => ((item * 1777) % count) + 1);
  for (const item of order) index.add(result(item, item % 3, item % 2 === 0));
  expect([index.count, index.last]).toEqual([count, count]);
  for (const item of order)
    expect(index.find(item)).toEqual(result(item, item % 3, item % 2 === 0));
  expect(index.find(count + 1)).toBeUndefined();
});
