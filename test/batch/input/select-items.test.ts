import { describe, expect, test } from 'vitest';
import { createCircuitBreaker } from '../../../src/batch/circuit-breaker.ts';
import { createIdLines } from '../../../src/batch/input/id-lines.ts';
import { formatOfName } from '../../../src/batch/input/input-format.ts';
import type { InputItem } from '../../../src/batch/input/item.ts';
import { type Selection, itemStatusOf, scanItems } from '../../../src/batch/input/select-items.ts';
import { isInShard, parseShard } from '../../../src/batch/input/shard.ts';
import { Failure, type FailureKind } from '../../../src/failure.ts';

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
  shard: undefined,
  resultsName: 'out.jsonl',
  fingerprint: ({ index }) => BigInt(index),
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
    ['that failed and cannot be read now', badItem(3), 'pending'],
    ['without a result', item(4), 'pending'],
  ])('%s is %s', (_, one, standing) => {
    expect(itemStatusOf(one, selection)).toBe(standing);
  });

  test('of another shard is left alone', () => {
    const shard = parseShard('2/2');
    expect(itemStatusOf(item(5), { ...selection, shard })).toBe('elsewhere');
    expect(itemStatusOf(item(6), { ...selection, shard })).toBe('pending');
  });

  test.each([
    ['another prompt', item(2), { ...selection, fingerprint: () => 99n }],
    ['none that can be read', badItem(2), selection],
  ])('that was answered and is now %s is refused', (_, one, changed) => {
    expect(() => itemStatusOf(one, changed)).toThrow(
      'out.jsonl has the answer to a different prompt for item 2 (line 12 of the input)',
    );
  });

  test('that failed may be another prompt now', () => {
    expect(itemStatusOf(item(3), { ...selection, fingerprint: () => 99n })).toBe('pending');
  });
});

test('a survey counts what is the run’s, and what cannot be sent', async () => {
  async function* items() {
    yield* [item(1), item(2), badItem(3), item(4), badItem(5)];
  }
  const shard = { number: 1, count: 2 };
  expect(await scanItems(items(), { ...selection, shard })).toEqual({
    total: 3,
    answered: 1,
    items: 5,
    bad: 2,
    firstBad: badItem(3),
  });
});

describe('shards', () => {
  test.each([1, 2, 3, 7])('%d of them have every item once', (count) => {
    const shards = Array.from({ length: count }, (_, index) => parseShard(`${index + 1}/${count}`));
    for (let index = 1; index <= 20; index += 1) {
      expect(shards.filter((shard) => isInShard(index, shard))).toHaveLength(1);
    }
  });

  test.each(['', '1', '0/2', '3/2', '1/0', '-1/2', '1.5/2', '1/2/3', 'a/b'])(
    '%j is none',
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
])('the name %s means %s', (name, format) => {
  expect(formatOfName(name)).toBe(format);
});

test('thousands of ids are told apart, and a repeated one knows its first line', () => {
  const ids = createIdLines();
  const first = Array.from({ length: 5000 }, (_, index) => ids.note(`item ${index}`, index + 1));
  const second = Array.from({ length: 5000 }, (_, index) => ids.note(`item ${index}`, 9999));
  expect(new Set(first)).toEqual(new Set([undefined]));
  expect(second).toEqual(Array.from({ length: 5000 }, (_, index) => index + 1));
});

describe('giving up', () => {
  const failed = (kind: FailureKind) => new Failure(kind, kind);
  const limits = { longestWait: 60_000, isReplay: false };

  test.each(['unauthorized', 'configuration'] as const)('%s is enough once', (kind) => {
    expect(createCircuitBreaker({ ...limits, most: 3 }).failed(failed(kind))).toBe(true);
  });

  test.each(['unreachable', 'server_error', 'rate_limited', 'not_found', 'forbidden'] as const)(
    '%s is enough so often in a row',
    (kind) => {
      const circuitBreaker = createCircuitBreaker({ ...limits, most: 3 });
      const tries = [1, 2, 3].map(() => circuitBreaker.failed(failed(kind)));
      expect(tries).toEqual([false, false, true]);
    },
  );

  test('a recording that lacks one item may have the next', () => {
    const circuitBreaker = createCircuitBreaker({ ...limits, most: 1, isReplay: true });
    expect(circuitBreaker.failed(failed('configuration'))).toBe(false);
    expect(circuitBreaker.failed(failed('unauthorized'))).toBe(true);
  });

  test('a wait that is longer than natter may wait is enough once', () => {
    const refused = (retryAfterSeconds: number) =>
      createCircuitBreaker({ ...limits, most: 3 }).failed(
        new Failure('rate_limited', 'too many requests', { retryAfterSeconds }),
      );
    expect([refused(60), refused(61)]).toEqual([false, true]);
  });

  test('an answer between begins the row again', () => {
    const circuitBreaker = createCircuitBreaker({ ...limits, most: 2 });
    circuitBreaker.failed(failed('server_error'));
    circuitBreaker.answered();
    expect(circuitBreaker.failed(failed('server_error'))).toBe(false);
  });

  test.each(['usage', 'invalid_request', 'incomplete'] as const)(
    '%s says nothing of others',
    (kind) => {
      const circuitBreaker = createCircuitBreaker({ ...limits, most: 1 });
      expect(circuitBreaker.failed(failed(kind))).toBe(false);
    },
  );
});
