import { expect, test } from 'vitest';
import { createWordRows, hangText } from '../../../src/terminal/text/rows.ts';
import { processorTime } from '../../support/processor-time.ts';

function inRows(pieces: readonly string[], width: number, column = 0): string {
  const write = createWordRows(() => width, column);
  return pieces.map((piece) => write(piece)).join('') + write('', true);
}

test.each([
  ['between words', 'one two three four', 'one two\nthree four'],
  ['at line ends', 'one\ntwo\n\nthree', 'one\ntwo\n\nthree'],
  ['beside ideographs', '日本語日本語日本語', '日本語日本\n語日本語'],
  ['not in a long word', 'a https://example.com/tea b', 'a\nhttps://example.com/tea b'],
])('rows end %s, in any pieces', (_, text, rows) => {
  expect(inRows([text], 10)).toBe(rows);
  expect(inRows(text.split(''), 10)).toBe(rows);
});

test('the first row begins after its label', () => {
  expect(inRows(['one two'], 10, 6)).toBe('one\ntwo');
});

test('ideographs are written as they arrive', () => {
  const write = createWordRows(() => 10, 0);
  expect(write('日本')).toBe('日本');
  expect(write('one tw')).toBe('one');
});

test.each([
  ['word', `${'a'.repeat(200_000)} b`],
  ['run of spaces', `${' '.repeat(200_000)}b`],
])('a long %s takes linear time', async (_, text) => {
  // Quadratic time would be twenty seconds.
  expect(await processorTime(() => inRows([text], 80))).toBeLessThan(2000);
});

test.each([
  ['fits in the row', 20, 'fits in the row'],
  ['is broken between words', 12, 'is broken\n  between\n  words'],
  ['two\nlines', 20, 'two\n  lines'],
  ['an empty\n\nline', 20, 'an empty\n\n  line'],
  ['saved in /a/very/long/path now', 12, 'saved in\n  /a/very/long/path\n  now'],
  ['漢字漢字漢字', 8, '漢字漢\n  字漢字'],
  ['ends with a space ', 19, 'ends with a space '],
])('hanging: %j in %i columns', (text, columns, rows) => {
  expect(hangText(text, columns, '  ')).toBe(rows);
});

test('a hanging text keeps the indent of a line', () => {
  expect(hangText('    indented code', 12)).toBe('    indented\ncode');
});
