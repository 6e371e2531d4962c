import { expect, test } from 'vitest';
import { displayWidth } from '../../../src/terminal/text/width.ts';
import { wrapText } from '../../../src/terminal/text/wrap.ts';
import { expectForAll, fc } from '../../support/properties.ts';

const bold = (text: string) => `\u001B[1m${text}\u001B[22m`;
test.each<[string, string, number, readonly string[]]>([
  ['a line that fits is one row', 'one two', 7, ['one two']],
  ['words are not cut', 'one two three', 8, ['one two', 'three']],
  ['a long word is cut', 'abcdefgh', 3, ['abc', 'def', 'gh']],
  ['a long word starts a new row', 'a bcdefgh', 4, ['a', 'bcde', 'fgh']],
  ['spaces at a break are dropped', 'one   two', 4, ['one', 'two']],
  ['spaces at the start are kept', '  one two', 5, ['  one', 'two']],
  ['spaces at the end have no width', 'one      ', 3, ['one']],
  ['a row may end between any ideographs', '今天天气很好', 5, ['今天', '天气', '很好']],
  ['a word beside ideographs is not cut', '今天 weather', 7, ['今天', 'weather']],
  ['an emoji of several code points is not cut', '👩‍👩‍👧‍👧👩‍👩‍👧‍👧', 3, ['👩‍👩‍👧‍👧', '👩‍👩‍👧‍👧']],
  ['a character wider than the width has a row', '今天', 1, ['今', '天']],
  ['an empty line is an empty row', '', 5, ['']],
])('%s', (_, line, width, rows) => {
  expect(wrapText(line, width)).toEqual(rows);
});

const link = (text: string) => `\u001B]8;;https://a.test\u001B\\${text}\u001B]8;;\u001B\\`;
const nested = (text: string) => `\u001B[1m\u001B[35m${text}\u001B[39m\u001B[22m`;

test.each([
  ['closes and reopens styles', bold('one two'), [bold('one'), bold('two')]],
  ['has no escape codes without style', `one two${bold('x')}`, ['one', `two${bold('x')}`]],
  ['closes a link that continues in the next row', link('one two'), [link('one'), link('two')]],
  ['closes nested styles in reverse order', nested('one two'), [nested('one'), nested('two')]],
])('a row %s', (_, line, rows) => {
  expect(wrapText(line, 4)).toEqual(rows);
});

test('rows are no wider than the width and lose nothing but spaces', () => {
  const texts = fc.string({
    unit: fc.constantFrom('a', 'b', ' ', '今', '👍🏽', 'é', bold('x')),
    maxLength: 60,
  });
  expectForAll(texts, fc.integer({ min: 2, max: 12 }), (text, width) => {
    const visible = (line: string) => line.replaceAll(/\u001B\[\d+m| /g, '');
    const rows = wrapText(text, width);
    expect(Math.max(...rows.map(displayWidth))).toBeLessThanOrEqual(width);
    expect(visible(rows.join(''))).toBe(visible(text));
  });
});

test('rows are found in a line full of zero-width characters', () => {
  const line = `${'\u0301'.repeat(2000)}abcdef`;
  expect(wrapText(line, 3).map((row) => row.replaceAll('\u0301', ''))).toEqual(['abc', 'def']);
});

test.each<[string, string, number, readonly string[]]>([
  ['breaks words', 'one two', 5, ['one t', 'wo']],
  ['keeps spaces', 'one   two', 4, ['one ', '  tw', 'o']],
  ['keeps a wide character whole', 'ab今天', 3, ['ab', '今', '天']],
  ['keeps the style', bold('abcd'), 3, [bold('abc'), bold('d')]],
])('wrapping between characters %s', (_, text, width, rows) => {
  expect(wrapText(text, width, 'characters')).toEqual(rows);
});
