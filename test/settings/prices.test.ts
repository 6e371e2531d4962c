import { expect, test } from 'vitest';
import { costOf, priceTable } from '../../src/settings/prices.ts';
import { failureOf } from './fixtures/stored.ts';

test('prices are for a million tokens, in dollars unless a currency is given', () => {
  const table = priceTable({ origin: '0.5/1.5', nextgen: '2/8 EUR', flash: '2/8/0.2' }, 'work');
  expect(Object.fromEntries(table)).toEqual({
    origin: { input: 0.5, output: 1.5, currency: 'USD' },
    nextgen: { input: 2, output: 8, currency: 'EUR' },
    flash: { input: 2, output: 8, cached: 0.2, currency: 'USD' },
  });
});

test('a cost has the prompt and the answer', () => {
  const price = { input: 0.5, output: 1.5, currency: 'USD' };
  expect(costOf(price, { prompt: 1_000_000, answer: 2_000_000 })).toBe(3.5);
  expect(costOf(price, { prompt: 0, answer: 0 })).toBe(0);
});

test('cached tokens have a price of their own, or that of prompts', () => {
  const tokens = { prompt: 1_000_000, answer: 0, cached: 500_000 };
  expect(costOf({ input: 2, output: 8, cached: 0.2, currency: 'USD' }, tokens)).toBe(1.1);
  expect(costOf({ input: 2, output: 8, currency: 'USD' }, tokens)).toBe(2);
});

test.each([7, '1', '1/', 'x/y', '1/2 EURO', '1e400/1'])(
  '%j in a file is refused',
  async (value) => {
    const failure = await failureOf(() => priceTable({ origin: value }, 'work'));
    expect(failure).toMatchObject({
      kind: 'configuration',
      message: expect.stringMatching(/^prices\.origin in profile work must be/) as string,
      hint: 'natter config unset prices.origin --profile work',
    });
  },
);
