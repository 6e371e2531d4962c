import { expect, test } from 'vitest';
import { countFailure, emptyTally, itemsLeft } from '../../src/batch/tally.ts';

test('a new tally has no counts', () => {
  expect(emptyTally()).toEqual({
    total: undefined,
    already: 0,
    answered: 0,
    failed: 0,
    causes: new Map(),
    tokens: 0,
  });
});

test('failures are counted in total and by cause', () => {
  const tally = emptyTally();
  countFailure(tally, 'server_error');
  countFailure(tally, 'rate_limited');
  countFailure(tally, 'server_error');
  expect(tally.failed).toBe(3);
  expect([...tally.causes]).toEqual([
    ['server_error', 2],
    ['rate_limited', 1],
  ]);
});

test('the items left are those without a result', () => {
  const tally = { ...emptyTally(), already: 3, answered: 2, failed: 1 };
  expect(itemsLeft(tally)).toBeUndefined();
  expect(itemsLeft({ ...tally, total: 10 })).toBe(4);
});
