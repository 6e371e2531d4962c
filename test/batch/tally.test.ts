import { expect, test } from 'vitest';
import { countFailure, emptyTally } from '../../src/batch/tally.ts';
import { Failure } from '../../src/failure.ts';

const item = (index: number) => ({ index, line: 10 * index, id: undefined });

test('failures are counted in total and by cause', () => {
  const tally = emptyTally();
  countFailure(tally, new Failure('server_error', ''), item(1));
  countFailure(tally, new Failure('rate_limited', ''), item(2));
  countFailure(tally, new Failure('server_error', ''), item(1));
  expect(tally.failed).toBe(3);
  expect([...tally.causes].map(([kind, { count }]) => [kind, count])).toEqual([
    ['server_error', 2],
    ['rate_limited', 1],
  ]);
});

test('of each kind, the failed item that is first in the input is kept as an example', () => {
  const tally = emptyTally();
  const ends = [3, 2, 4].map((index) => ({
    failure: new Failure('unreachable', `failure ${index}`),
    item: item(index),
  }));
  for (const end of ends) countFailure(tally, end.failure, end.item);
  expect([...tally.causes]).toEqual([['unreachable', { ...ends[1], count: 3 }]]);
});
