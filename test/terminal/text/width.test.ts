import { expect, test } from 'vitest';
import {
  displayWidth,
  graphemes,
  padToWidth,
  splitAtWidth,
  truncateToWidth,
} from '../../../src/terminal/text/width.ts';
import { processorTime } from '../../support/processor-time.ts';
import { expectForAll, fc } from '../../support/properties.ts';

const family = '👨‍👩‍👧‍👦';

test.each([
  ['abc', 3],
  ['日本', 4],
  [family, 2],
  ['🇩🇪', 2],
  ['e\u0301', 1],
  ['\u001B[31mred\u001B[39m', 3],
  ['', 0],
])('displayWidth of %j is %i', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

const long = `e${'\u0301'.repeat(2000)}`;

test.each([
  ['joined emoji and accents', ['a', family, 'e\u0301']],
  ['a character longer than its window', ['é', long, 'é', ...Array<string>(50).fill(family)]],
])('graphemes keeps %s whole', (_, characters) => {
  expect([...graphemes(characters.join(''))]).toEqual(characters);
});

test.each([
  ['hello', 10, 'hello'],
  ['hello', 5, 'hello'],
  ['hello', 4, 'hel…'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
  [`${family}${family}`, 3, `${family}…`],
  ['hello', 1, '…'],
  ['hello', 0, ''],
  ['hello', -1, ''],
])('truncateToWidth of %j to %i is %j', (text, width, expected) => {
  expect(truncateToWidth(text, width)).toBe(expected);
});

test.each([
  ['日', 4, 'left', '日  '],
  ['日', 4, 'right', '  日'],
  ['日', 5, 'center', ' 日  '],
  ['wide', 2, 'left', 'wide'],
] as const)('padToWidth of %j to %i, %s, is %j', (text, width, align, expected) => {
  expect(padToWidth(text, width, align)).toBe(expected);
});

test('splitAtWidth loses nothing and never exceeds the width', () => {
  expectForAll(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 20 }), (text, width) => {
    const [fits, rest] = splitAtWidth(text, width);
    expect(fits + rest).toBe(text);
    expect(displayWidth(fits)).toBeLessThanOrEqual(width);
  });
});

test('T15 does not hang on a character with 200 marks or on a million characters', async () => {
  const taken = await processorTime(() => {
    splitAtWidth(`e${'\u0301'.repeat(200)}`.repeat(1000), 100_000);
    splitAtWidth('é'.repeat(1e6), 100);
    displayWidth('é'.repeat(1e6));
  });
  expect(taken).toBeLessThan(5000);
});
