import { describe, expect, test } from 'vitest';
import { columnWidth, createColumns } from '../../../src/terminal/text/columns.ts';

/** All rows of texts side by side. */
function layOut(texts: readonly string[], window: number): readonly string[] {
  const columns = createColumns(texts.length, ' | ');
  for (const [index, text] of texts.entries()) {
    columns.write(index, text);
    columns.end(index);
  }
  return columns.takeRows(window);
}

test.each<[string, readonly string[], number, readonly string[]]>([
  [
    'texts of one length',
    ['one\ntwo\n', 'three\nfour\n'],
    20,
    ['one      | three', 'two      | four'],
  ],
  [
    'a short text leaves its column empty',
    ['a', 'b\nc\nd'],
    12,
    ['a    | b', '     | c', '     | d'],
  ],
  ['no text at all', ['', 'b'], 12, ['     | b']],
  ['long lines are wrapped', ['one two', 'three'], 12, ['one  | thre', 'two  | e']],
  ['wide characters count twice', ['今天', 'b'], 14, ['今天  | b']],
  ['three texts', ['a', 'b', 'c'], 16, ['a   | b   | c']],
  ['nothing', ['', ''], 20, []],
])('%s', (_, texts, window, rows) => {
  expect(layOut(texts, window)).toEqual(rows);
});

test.each([
  [80, 2, 38],
  [120, 2, 58],
  [120, 3, 37],
  [4, 3, 1],
])('of %i columns %i texts have %i each', (window, count, width) => {
  expect(columnWidth(window, count)).toBe(width);
});

describe('columns that grow', () => {
  test('give out rows as far as the slowest has come', () => {
    const columns = createColumns(2, ' | ');
    columns.write(0, 'a\nb\nc\n');
    expect(columns.takeRows(12)).toEqual([]);
    columns.write(1, 'x\ny');
    expect(columns.takeRows(12)).toEqual(['a    | x']);
    expect(columns.preview(12, 5)).toEqual(['b    | y', 'c    |', '     |'].slice(0, 3));
    columns.end(1);
    expect(columns.takeRows(12)).toEqual(['b    | y', 'c    |']);
  });

  test('go on in a window of another size', () => {
    const columns = createColumns(2, ' | ');
    columns.write(0, 'one two three four five');
    columns.write(1, 'uno due tre quattro cinque');
    expect(columns.takeRows(20)).toEqual([
      'one two  | uno due',
      'three    | tre',
      'four     | quattro',
    ]);
    for (const index of [0, 1]) columns.end(index);
    expect(columns.takeRows(60)).toEqual(['five                         | cinque']);
  });
});
