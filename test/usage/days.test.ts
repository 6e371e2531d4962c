import { expect, test } from 'vitest';
import { definitions } from '../../src/settings/definitions.ts';
import { parseBudget } from '../../src/usage/budget.ts';
import { endOfPeriod, startOfPeriod, type Period } from '../../src/usage/days.ts';

test.each([
  ['2M/day', { amount: 2_000_000, currency: undefined, period: 'day' }],
  ['500k/week', { amount: 500_000, currency: undefined, period: 'week' }],
  ['1000 / month', { amount: 1000, currency: undefined, period: 'month' }],
  ['1.5G/month', { amount: 1_500_000_000, currency: undefined, period: 'month' }],
  ['5usd/week', { amount: 5, currency: 'USD', period: 'week' }],
  ['20.50 EUR/Month', { amount: 20.5, currency: 'EUR', period: 'month' }],
])('%s is a budget', (text, limit) => {
  const value = definitions.budget.type.parse(text) ?? '';
  expect(parseBudget(value)).toEqual(limit);
});

test.each(['', '0/day', '0.0usd/day', '2M', '2M/year', '/day', '-1/day', '5euros/day', '2MB/day'])(
  '%j is no budget',
  (text) => {
    expect(definitions.budget.type.parse(text)).toBeUndefined();
  },
);

// Local times, so that the test holds in every time zone.
const sunday = new Date(2026, 10, 22, 15, 30);

const monday = new Date(2026, 10, 16, 0, 0, 1);

test.each<[Period, Date, Date, Date?]>([
  ['week', new Date(2026, 10, 16), new Date(2026, 10, 23), monday],
  ['day', new Date(2026, 10, 22), new Date(2026, 10, 23)],
  ['week', new Date(2026, 10, 16), new Date(2026, 10, 23)],
  ['month', new Date(2026, 10, 1), new Date(2026, 11, 1)],
])('a %s begins and ends at local midnight', (period, start, end, now = sunday) => {
  expect(startOfPeriod(period, now)).toEqual(start);
  expect(endOfPeriod(period, now)).toEqual(end);
});
