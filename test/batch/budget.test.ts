import { expect, test } from 'vitest';
import { createBudget } from '../../src/batch/budget.ts';

const tokens = (count: number) => ({ tokens: count, cost: 0 });

test('reserves until the estimates in flight reach the limit', () => {
  const budget = createBudget({ tokens: 100, cost: Infinity });
  expect(budget.reserve(1, tokens(60))).toBe(true);
  expect(budget.reserve(2, tokens(41))).toBe(false);
  expect(budget.reserve(2, tokens(40))).toBe(true);
});

test('a smaller actual expense makes room', () => {
  const budget = createBudget({ tokens: 100, cost: Infinity });
  budget.reserve(1, tokens(90));
  budget.settle(1, tokens(10));
  expect(budget.reserve(2, tokens(90))).toBe(true);
});

test('the cost is a limit too, and sums of it are not exact', () => {
  const budget = createBudget({ tokens: Infinity, cost: 0.3 });
  for (const index of [1, 2, 3]) {
    expect(budget.reserve(index, { tokens: 1, cost: 0.1 })).toBe(true);
  }
  expect(budget.reserve(4, { tokens: 1, cost: 0.1 })).toBe(false);
});

test('waits only for what is in flight', async () => {
  const budget = createBudget({ tokens: 10, cost: Infinity });
  expect(budget.settled()).toBeUndefined();
  budget.reserve(1, tokens(10));
  const settled = budget.settled();
  budget.settle(1, tokens(3));
  await expect(settled).resolves.toBeUndefined();
  expect(budget.settled()).toBeUndefined();
});
