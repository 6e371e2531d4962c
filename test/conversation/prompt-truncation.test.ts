import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { suspectTruncation } from '../../src/conversation/token-estimate.ts';

const suspect = (content: string, counted: number) =>
  suspectTruncation([{ role: 'user', content }], counted);

const english = readFileSync('README.md', 'utf8');
const code = readFileSync('src/usage/meter.ts', 'utf8').replaceAll('  ', '      ');
const chinese = '今天的天气很好，我们一起去公园散步吧。'.repeat(400);
const russian = 'Сегодня хорошая погода, и мы идём гулять в парк. '.repeat(200);
const base64 = Buffer.from(english).toString('base64');

test.each([
  ['English, at 5 characters a token', english, english.length / 5],
  ['code with deep indentation, at 6 characters a token', code, code.length / 6],
  ['Chinese, at 2 tokens for 3 characters', chinese, chinese.length * 0.66],
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
  ['English', english.repeat(4)],
  ['code', code.repeat(10)],
  ['Chinese', chinese.repeat(3)],
  ['Russian', russian.repeat(5)],
  ['base64', base64.repeat(4)],
])('%s that was cut at 2,048 tokens is suspected', (_, text) => {
  expect(suspect(text, 2048)).toBeGreaterThan(2048 / 0.6);
});

test('both limits apply: less than 60 %, and more than 500 tokens', () => {
  const words = 'abcd efgh ijkl mnop '.repeat(200);
  expect(suspect(words, 600)).toBeUndefined();
  expect(suspect(words, 400)).toBe(1000);
  expect(suspect(words.slice(0, 2000), 1)).toBeUndefined();
});

test('all messages count', () => {
  const content = 'abcd efgh ijkl mnop '.repeat(100);
  const messages = [
    { role: 'system', content },
    { role: 'user', content },
  ] as const;
  expect(suspectTruncation(messages, 100)).toBe(1000);
});
