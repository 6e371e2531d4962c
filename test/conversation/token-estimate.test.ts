import { expect, test } from 'vitest';
import { estimateMessages, estimateTokens } from '../../src/conversation/token-estimate.ts';
import { fc } from '../support/properties.ts';

test.each([
  ['', 0],
  ['a', 1],
  ['abcd', 1],
  ['abcde', 2],
  ['日本', 2],
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
  fc.assert(
    fc.property(part, part, (left, right) => {
      const whole = estimateTokens(left + right);
      expect(whole).toBeLessThanOrEqual(estimateTokens(left) + estimateTokens(right));
      expect(whole).toBeGreaterThanOrEqual(Math.max(estimateTokens(left), estimateTokens(right)));
    }),
  );
});
