import { expect, test } from 'vitest';
import { hangText } from '../../../src/terminal/text/wrap.ts';

test.each([
  ['fits in the row', 20, 'fits in the row'],
  ['is broken between words', 12, 'is broken\n  between\n  words'],
  ['two\nlines', 20, 'two\n  lines'],
  ['an empty\n\nline', 20, 'an empty\n\n  line'],
  ['saved in /a/very/long/path now', 12, 'saved in\n  /a/very/long/path\n  now'],
  ['漢字漢字漢字', 8, '漢字漢\n  字漢字'],
  ['ends with a space ', 19, 'ends with a space '],
])('%j in %i columns', (text, columns, rows) => {
  expect(hangText(text, columns, '  ')).toBe(rows);
});

test('keeps the indent of a line', () => {
  expect(hangText('    indented code', 12)).toBe('    indented\ncode');
});
