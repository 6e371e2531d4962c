import { describe, expect, test } from 'vitest';
import { parseApiKey, parseParameterFlag, parseValue } from '../../src/settings/setting-value.ts';
import { costOf, modelPrice } from '../../src/settings/prices.ts';
import { ownColor } from '../../src/settings/setting-name.ts';
import { failureOf } from './fixtures/stored.ts';

describe('parseParameterFlag', () => {
  test.each(['seed=12345678901234567890', 'x=1e400', 'x=[{"y":-1e400}]', 'x=0.12345678901234567'])(
    'X14: refuses %j, which cannot be sent unchanged',
    async (text) => {
      expect(await failureOf(() => parseParameterFlag(text))).toMatchObject({
        kind: 'usage',
        message: expect.stringContaining('JSON whose numbers natter can send unchanged') as string,
      });
    },
  );

  test.each([
    ['temperature=0.2', 'temperature', 0.2],
    ['stop=["a=b"]', 'stop', ['a=b']],
    ['user="ada"', 'user', 'ada'],
    ['x={"y":\n1}', 'x', { y: 1 }],
  ])('reads %j', (text, name, value) => {
    expect(parseParameterFlag(text)).toEqual([name, value]);
  });

  test.each(['temperature', '=1', ''])('refuses %j, which has no name or value', async (text) => {
    const failure = await failureOf(() => parseParameterFlag(text));
    expect(failure).toMatchObject({ kind: 'usage', message: '--param must be name=json' });
  });

  test.each(['END', 'high', 'json_object', 'gpt-4o:latest', 'a/b', 'user@host'])(
    'Y11: reads the word %s as text',
    (word) => {
      expect(parseParameterFlag(`stop=${word}`)).toEqual(['stop', word]);
    },
  );

  const unclear = ['two words', '{a', '"open', '1.2.3', '-', '', 'True', 'None', 'undefined'];
  test.each(unclear)(
    'Y11: refuses %j, which may be meant as JSON, with a hint about quotes',
    async (text) => {
      expect(await failureOf(() => parseParameterFlag(`stop=${text}`))).toMatchObject({
        kind: 'usage',
        message: '--param stop must be JSON or a single word',
        hint: `put text of several words in double quotes inside the shell quotes: '"two words"'`,
      });
    },
  );
});

test.each([
  ['', 'is empty'],
  [' \n', 'is empty'],
  ['example\nkey', 'contains a line break'],
  ['example\u00e9key', 'contains a character that is not plain ASCII (U+00E9 at position 8)'],
  ['example\u0000key', 'contains a character that is not plain ASCII (U+0000 at position 8)'],
  ['ex\u00e4mple key', 'contains a space'],
  ['"example-key"', 'begins with a quote'],
  ["example-key'", 'ends with a quote'],
  ['Bearer example-key', 'starts with the word Bearer, which natter adds itself'],
])('K10, N13: the key %j is refused without being shown', async (text, problem) => {
  const failure = await failureOf(() => parseApiKey(text, 'NATTER_API_KEY', 'configuration'));
  expect(failure).toMatchObject({ kind: 'configuration', message: `NATTER_API_KEY ${problem}` });
  expect(failure.cause).toBeUndefined();
});

const priceOrigin = { label: 'prices.origin', kind: 'configuration' } as const;
const colorOrigin = { label: 'colors.code', kind: 'usage' } as const;

test.each([
  ['0.5/1.5', { input: 0.5, output: 1.5, currency: 'USD' }],
  ['2/8 EUR', { input: 2, output: 8, currency: 'EUR' }],
  ['2/8/0.2', { input: 2, output: 8, cached: 0.2, currency: 'USD' }],
])('the price %s is for a million tokens, in dollars unless a currency is given', (text, price) => {
  expect(modelPrice.parse(text)).toEqual(price);
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
  expect(() => parseValue(modelPrice, value, priceOrigin)).toThrow(
    /^prices\.origin must be the prices/,
  );
});

describe('a colour', () => {
  test.each([
    ['red', 'red'],
    [' Bright-Blue ', 'bright-blue'],
    ['underline bold #5FAFD7', '#5fafd7 bold underline'],
    ['bold', 'default bold'],
    ['default', 'default'],
  ])('%j is stored as %j', (text, stored) => {
    expect(ownColor.parse(text)).toBe(stored);
  });

  const words = ['', 'redd', '#fff', '#5fafd', 'red blue', 'red red', 'bold bold', 'red blink'];
  test.each([...words, '31', '\u001B[31m', 7, null])('%j is refused', async (value) => {
    const failure = await failureOf(() => parseValue(ownColor, value, colorOrigin));
    expect(failure.kind).toBe('usage');
    expect(failure.message).toMatch(/^colors\.code must be a colour such as red, bright-blue/);
  });
});
