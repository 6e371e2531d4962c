import { describe, expect, test } from 'vitest';
import { countPromptTokens, countTokens, tokensOf } from '../../src/sandbox/completion.ts';
import { processorTime } from '../support/processor-time.ts';
import { expectForAll, fc } from '../support/properties.ts';

describe('countTokens', () => {
  test.each([
    ['', 0],
    ['hello', 1],
    [' hello', 1],
    ['hello world', 2],
    ['extraordinary', 3],
    ['a, b', 3],
    ['  indented', 3],
    ['\n\n', 1],
    ['中文', 2],
    ['😀', 1],
    ['don’t', 3],
  ])('counts %j as %i', (text, count) => {
    expect(countTokens(text)).toBe(count);
  });

  test('adds three tokens for each message', () => {
    expect(countPromptTokens([{ content: 'hello' }, { content: '' }])).toBe(7);
  });

  test('counts four megabytes in well under a second', async () => {
    const text = 'The quick brown fox. '.repeat(200_000);
    const used = await processorTime(() => {
      expect(countTokens(text)).toBe(1_000_001);
    });
    expect(used).toBeLessThan(1000);
  });
});

test('tokensOf keeps every character, and yields as many tokens as are counted', () => {
  expectForAll(fc.string({ unit: 'binary' }), (text) => {
    const tokens = [...tokensOf(text)];
    expect(tokens.join('')).toBe(text);
    expect(tokens).toHaveLength(countTokens(text));
    expect(tokens.some((token) => /[\ud800-\udbff]$/.test(token))).toBe(false);
  });
});
