import { expect, test } from 'vitest';
import { costOf, priceTable } from '../../src/settings/prices.ts';
import { failureOf } from './fixtures/stored.ts';

test('prices are for a million tokens, in dollars unless a currency is given', () => {
  const table = priceTable({ origin: '0.5/1.5', nextgen: '2/8 EUR' }, 'work');
  expect(Object.fromEntries(table)).toEqual({
    origin: { input: 0.5, output: 1.5, currency: 'USD' },
    nextgen: { input: 2, output: 8, currency: 'EUR' },
  });
});

test('a cost has the prompt and the answer', () => {
  const price = { input: 0.5, output: 1.5, currency: 'USD' };
  expect(costOf(price, 1_000_000, 2_000_000)).toBe(3.5);
  expect(costOf(price, 0, 0)).toBe(0);
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
