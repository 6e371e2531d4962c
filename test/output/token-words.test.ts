import { expect, test } from 'vitest';
import { percent, tokenText, usageLine } from '../../src/output/figures.ts';

test.each([
  [0, false, '0 tokens'],
  [1, false, '1 token'],
  [1, true, '~1 token'],
  [2040, true, '~2,040 tokens'],
])('Y19: %i tokens, an estimate: %s, are written as %s', (tokens, isEstimate, text) => {
  expect(tokenText(tokens, isEstimate)).toBe(text);
});

test('Y19: a share has no blank before its sign', () => {
  expect(percent(64_000, 128_000)).toBe('50%');
});

test('Y19: the line under an answer counts one token in the singular', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1 };
  const record = { model: 'origin', complete: true, usage } as Parameters<typeof usageLine>[0];
  expect(usageLine(record, 'origin')).toBe('origin · 1 token in, 1 out');
});
