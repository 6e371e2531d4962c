import { describe, expect, test } from 'vitest';
import { countPromptTokens, countTokens, tokensOf } from '../../src/sandbox/token-counter.ts';
import { processorTime } from '../support/processor-time.ts';
import { fc } from '../support/properties.ts';

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

describe('tokensOf', () => {
  test('keeps every character, and yields as many tokens as are counted, wherever the pieces end', () => {
    const pieces = fc.array(fc.string({ unit: 'binary', maxLength: 60 }));
    fc.assert(
      fc.property(pieces, (texts) => {
        const tokens = [...tokensOf(texts)];
        expect(tokens.join('')).toBe(texts.join(''));
        expect(tokens).toHaveLength(countTokens(texts.join('')));
      }),
    );
  });

  test('does not split surrogate pairs', () => {
    expect([...tokensOf(['a😀', '\ud83d', '\ude00b'])]).toEqual(['a', '😀', '😀', 'b']);
  });

  test('reads only the pieces that it needs', () => {
    let used = 0;
    function* endless() {
      for (;;) {
        used += 1;
        yield ' word';
      }
    }
    const tokens = tokensOf(endless());
    for (let count = 0; count < 10; count += 1) tokens.next();
    expect(used).toBeLessThan(20);
  });
});
