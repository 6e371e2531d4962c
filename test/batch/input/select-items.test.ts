import { describe, expect, test } from 'vitest';
import { formatOfName } from '../../../src/batch/input/item-parser.ts';
import type { InputItem } from '../../../src/batch/input/item.ts';
import {
  countItems,
  isInShard,
  itemStatusOf,
  parseShard,
  type Selection,
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
  takes: () => true,
  highest: Infinity,
  resultsName: 'out.jsonl',
  refusesSandbox: false,
  fingerprint: ({ index }) => BigInt(index),
  modelOf: () => undefined,
  find: (index) =>
    index > 3
      ? undefined
      : {
          index,
          fingerprint: BigInt(index),
          isAnswered: index < 3,
          file: 0,
          offset: 0,
          length: 1,
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
    const found = { index: 1, fingerprint: 1n, isAnswered: true, isFromSandbox: true };
    const find = () => ({ ...found, file: 0, offset: 0, length: 1 });
    expect(itemStatusOf(item(1), { ...selection, find })).toBe('answered');
    expect(() => itemStatusOf(item(1), { ...selection, find, refusesSandbox: true })).toThrow(
      'out.jsonl has the answer of the sandbox to item 1 (line 11 of the input)',
    );
  });

  test('of a different shard is elsewhere', () => {
    const second = { ...selection, takes: (index: number) => isInShard(index, parseShard('2/2')) };
    expect(itemStatusOf(item(5), second)).toBe('elsewhere');
    expect(itemStatusOf(item(6), second)).toBe('pending');
  });

  test.each([
    ['a different prompt', item(2), { ...selection, fingerprint: () => 99n }],
    ['unsendable', badItem(2), selection],
  ])('that was answered and is now %s is refused', (_, one, changed) => {
    expect(() => itemStatusOf(one, changed)).toThrow(
      'out.jsonl has the answer to a different prompt for item 2 (line 12 of the input)',
    );
  });

  test('that failed may have a different prompt now', () => {
    expect(itemStatusOf(item(3), { ...selection, fingerprint: () => 99n })).toBe('pending');
  });
});

test('items are counted by status', async () => {
  async function* items() {
    yield* [item(1), item(2), badItem(3), item(4), badItem(5)];
  }
  const odd = (index: number) => index % 2 === 1;
  expect(await countItems(items(), { ...selection, takes: odd })).toEqual({
    total: 3,
    answered: 1,
    items: 5,
    bad: 2,
    firstBad: badItem(3),
    ofOthers: new Map(),
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
