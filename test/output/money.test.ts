import { expect, test } from 'vitest';
import { moneyText } from '../../src/output/figures.ts';

test.each([
  [0, '0.00 USD'],
  [0.0000123, '0.000012 USD'],
  [0.5, '0.50 USD'],
  [1234.567, '1,234.57 USD'],
])('%d is %s', (amount, text) => {
  expect(moneyText(new Map([['USD', amount]]))).toBe(text);
});

test('amounts in several currencies are not added', () => {
  const amounts = new Map([
    ['USD', 1],
    ['EUR', 2],
  ]);
  expect(moneyText(amounts)).toBe('1.00 USD + 2.00 EUR');
  expect(moneyText(new Map())).toBe('');
});
