import { expect, test } from 'vitest';
import { diffWords, formatDiff, maxChanges } from '../../src/output/word-diff.ts';
import { colorStyle, plainStyle } from '../../src/terminal/style.ts';

const plain = plainStyle;
const show = (first: string, second: string) => formatDiff(diffWords(first, second) ?? [], plain);

test.each([
  ['the same', 'the same', 'the same'],
  ['a red cat', 'a black cat', 'a [-red-]{+black+} cat'],
  ['a cat', 'a small cat', 'a {+small+} cat'],
  ['a small cat', 'a cat', 'a [-small-] cat'],
  ['one\ntwo\n', 'one\nthree\n', 'one\n[-two-]{+three+}\n'],
  ['one two', 'one\n  two', 'one\n  two'],
  ['съешь булку', 'съешь хлеб', 'съешь [-булку-]{+хлеб+}'],
  ['今天很好', '今天不好', '今天[-很-]{+不+}好'],
  ['isn’t', 'is', '[-isn’t-]{+is+}'],
  ['', 'all new', '{+all new+}'],
  ['of 128,000 tokens', 'of 1,000,000 tokens', 'of [-128,000-]{+1,000,000+} tokens'],
  ['1.5 or 2', '1.25 or 2.', '[-1.5-]{+1.25+} or 2{+.+}'],
  ['at 12:30, 1.', 'at 12:45, 1.', 'at [-12:30-]{+12:45+}, 1.'],
])('%j and %j: %j', (first, second, expected) => {
  expect(show(first, second)).toBe(expected);
});

test('marks are coloured', () => {
  const shown = formatDiff(diffWords('red', 'blue') ?? [], colorStyle);
  expect(shown).toBe('\u001B[31m[-red-]\u001B[39m\u001B[32m{+blue+}\u001B[39m');
});

const words = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}${index} `).join('');

test('long texts that are similar are compared', () => {
  const text = words('w', 100_000);
  expect(show(`${text}end`, `${text}close`)).toBe(`${text}[-end-]{+close+}`);
});

test('long texts that have little in common are not compared', () => {
  expect(diffWords(words('a', maxChanges), words('b', maxChanges))).toBeUndefined();
});
