import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  estimateMessages,
  estimateTokens,
  suspectTruncation,
} from '../../src/conversation/token-estimate.ts';
import { expectForAll, fc } from '../support/properties.ts';

test.each([
  ['', 0],
  ['a', 1],
  ['abcde', 2],
  ['é', 1],
  ['😀', 1],
  ['abcd日', 2],
])('%j is estimated at %d tokens', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

test('each message adds tokens for its role and separators', () => {
  const message = { role: 'user' as const, content: 'abcd' };
  expect(estimateMessages([])).toBe(0);
  expect(estimateMessages([message, message])).toBe(10);
});

test('a text is never estimated higher than its parts together, or lower than one of them', () => {
  const part = fc.string({ unit: 'grapheme' });
  expectForAll(part, part, (left, right) => {
    const whole = estimateTokens(left + right);
    expect(whole).toBeLessThanOrEqual(estimateTokens(left) + estimateTokens(right));
    expect(whole).toBeGreaterThanOrEqual(Math.max(estimateTokens(left), estimateTokens(right)));
  });
});

const suspect = (content: string, counted: number) =>
  suspectTruncation([{ role: 'user', content }], counted);

const english = readFileSync('README.md', 'utf8');
const code = readFileSync('src/usage/meter.ts', 'utf8').replaceAll('  ', '      ');
const chinese = '今天的天气很好，我们一起去公园散步吧。'.repeat(400);
const russian = 'Сегодня хорошая погода, и мы идём гулять в парк. '.repeat(200);
const base64 = Buffer.from(english).toString('base64');

test.each([
  ['code with deep indentation, at 6 characters a token', code, code.length / 6],
  ['Chinese, at 1 token for 2 characters', chinese, chinese.length / 2],
  ['Russian, at 4 characters a token', russian, russian.length / 4],
  ['base64, at 2 characters a token', base64, base64.length / 2],
  ['a ruler of 40,000 hyphens', '-'.repeat(40_000), 700],
  ['40,000 spaces', ' '.repeat(40_000), 600],
  ['a short prompt', english.slice(0, 1000), 1],
])('%s is not suspected', (_, text, counted) => {
  expect(suspect(text, Math.round(counted))).toBeUndefined();
});

test.each([
  ['code', code.repeat(10)],
  ['Chinese', chinese.repeat(3)],
  ['Russian', russian.repeat(5)],
])('%s that was cut at 2,048 tokens is suspected', (_, text) => {
  expect(suspect(text, 2048)).toBeGreaterThan(2048 / 0.6);
});

test('both limits apply to all messages: less than 60 %, and more than 500 tokens', () => {
  const content = 'abcd efgh ijkl mnop '.repeat(100);
  const messages = (['system', 'user'] as const).map((role) => ({ role, content }));
  expect(suspectTruncation(messages, 100)).toBe(1000);
  const words = 'abcd efgh ijkl mnop '.repeat(200);
  expect(suspect(words, 600)).toBeUndefined();
  expect(suspect(words, 400)).toBe(1000);
  expect(suspect(words.slice(0, 2000), 1)).toBeUndefined();
});
