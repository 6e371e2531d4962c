import { expect, test } from 'vitest';
import { costOf, parsePrice } from '../../src/settings/prices.ts';

const origin = { label: 'prices.origin', kind: 'configuration' } as const;

test.each([
  ['0.5/1.5', { input: 0.5, output: 1.5, currency: 'USD' }],
  ['2/8 EUR', { input: 2, output: 8, currency: 'EUR' }],
  ['2/8/0.2', { input: 2, output: 8, cached: 0.2, currency: 'USD' }],
])('the price %s is for a million tokens, in dollars unless a currency is given', (text, price) => {
  expect(parsePrice(text, origin)).toEqual(price);
});

test('a cost has the prompt and the answer; cached tokens have their own price, or that of prompts', () => {
  const price = { input: 2, output: 8, cached: undefined, currency: 'USD' };
  expect(costOf(price, { prompt: 1_000_000, answer: 2_000_000 })).toBe(18);
  expect(costOf(price, { prompt: 0, answer: 0 })).toBe(0);
  const tokens = { prompt: 1_000_000, answer: 0, cached: 500_000 };
  expect(costOf({ ...price, cached: 0.2 }, tokens)).toBe(1.1);
  expect(costOf(price, tokens)).toBe(2);
});

test.each([7, '1', '1/', 'x/y', '1/2 EURO', '1e400/1'])('%j is refused', (value) => {
  expect(() => parsePrice(value, origin)).toThrow(/^prices\.origin must be the prices/);
});
