import { describe, expect, test } from 'vitest';
import { layout, moveVertically } from '../../../src/repl/composer/layout.ts';
import {
  createBuffer,
  draftFrom,
  insertPaste,
  moveTo,
} from '../../../src/repl/composer/text-buffer.ts';
import { displayWidth } from '../../../src/terminal/text/width.ts';
import { processorTime } from '../../support/processor-time.ts';
import { expectForAll, fc } from '../../support/properties.ts';

const longPaste = 'line\n'.repeat(123);

describe('layout', () => {
  test.each<[string, string, number, string[]]>([
    ['an empty text', '', 10, ['']],
    ['lines', 'a\nb\n', 10, ['a', 'b', '']],
    ['words', 'one two three', 9, ['one two ', 'three']],
    ['a word that just fits, without its space', 'abcd efgh', 5, ['abcd', 'efgh']],
    ['a word wider than the window', 'abcdefghij', 5, ['abcd', 'efgh', 'ij']],
    ['Chinese, Japanese and Korean', 'a日本語', 6, ['a日本', '語']],
    ['a wide character that does not fit', '日本', 4, ['日', '本']],
    ['joined emoji', '👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 4, ['👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦']],
    ['tabs', '\tx', 20, ['    x']],
    ['control characters', 'a\u001B[31m\u0007\u009B', 20, ['a␛[31m␇\uFFFD']],
    ['characters that change the text direction', 'a\u202Eb', 20, ['a\uFFFDb']],
    ['a window of one column', 'ab', 1, ['a', 'b']],
  ])('wraps %s', (_, text, columns, rows) => {
    expect(layout(createBuffer(text), columns).rows).toEqual(rows);
  });

  test.each<[string, number, number, number]>([
    ['', 0, 0, 0],
    ['abc', 3, 0, 3],
    ['abcd', 4, 0, 4],
    ['abcdef', 4, 1, 0],
    ['a\n', 2, 1, 0],
    ['日本', 1, 0, 2],
    ['日本語', 3, 1, 2],
  ])('puts the caret of %j at %i to row %i, column %i', (text, cursor, row, column) => {
    const buffer = moveTo(createBuffer(text), cursor);
    expect(layout(buffer, 5)).toMatchObject({ cursorRow: row, cursorColumn: column });
  });

  test('T3 has no control character from a recalled prompt or a paste', () => {
    const codes = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code));
    const rows = layout(createBuffer(codes.join('') + '\u202E\u2066'), 30).rows.join('');
    expect(rows).not.toMatch(/[\p{Control}\u202E\u2066]/u);
  });

  test('shows a paste as an unbroken label', () => {
    const buffer = insertPaste(createBuffer('see '), longPaste);
    expect(layout(buffer, 80).rows).toEqual(['see [paste #1, 123 lines]']);
    expect(layout(buffer, 24).rows).toEqual(['see ', '[paste #1, 123 lines]']);
    expect(layout(buffer, 12).rows).toEqual(['see ', '[paste #1,…']);
    expect(layout(insertPaste(buffer, 'x'.repeat(600)), 80).rows[0]).toContain(
      '[paste #2, 600 characters]',
    );
  });

  test.each([
    [0, ['0', '1', '2'], 0, false, true],
    [5, ['4', '5', '6'], 1, true, true],
    [9, ['7', '8', '9'], 2, true, false],
  ])('shows the rows around the caret in row %i', (row, rows, cursorRow, above, below) => {
    const text = Array.from({ length: 10 }, (_, index) => index).join('\n');
    expect(layout(moveTo(createBuffer(text), row * 2), 10, 3)).toEqual({
      rows,
      cursorRow,
      cursorColumn: 0,
      hasMoreAbove: above,
      hasMoreBelow: below,
    });
  });

  test.each([
    ['10,000 lines', `${'word '.repeat(20)}\n`.repeat(10_000)],
    ['one line of a megabyte', 'wörd '.repeat(200_000)],
  ])('lays out a window of %s quickly', async (_, text) => {
    const buffer = moveTo(createBuffer(text), Math.floor(text.length / 2));
    layout(buffer, 80, 20);
    const taken = await processorTime(() => {
      for (let count = 0; count < 10; count += 1) layout(buffer, 80, 20);
    });
    expect(taken / 10).toBeLessThan(100);
  });

  test('shows every character once, in rows that fit, for any text', () => {
    const anyText = fc.string({ unit: 'grapheme', maxLength: 60 });
    expectForAll(anyText, fc.integer({ min: 4, max: 20 }), (text, columns) => {
      const buffer = createBuffer(text);
      const { rows, cursorRow, cursorColumn } = layout(buffer, columns);
      for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(columns);
      expect(cursorRow).toBe(rows.length - 1);
      expect(cursorColumn).toBeLessThan(columns);
    });
  });

  test('joins the parts of a very long line without loss', () => {
    const text = '😀é'.repeat(5000);
    expect(layout(createBuffer(text), 80).rows.join('')).toBe(text);
  });
});

describe('moveVertically', () => {
  const text = 'first line\nno\nthird line';

  test.each([
    ['up a line', text, 24, -1, 80, 13],
    ['up from a short line', text, 13, -1, 80, 2],
    ['up from the first row', text, 10, -1, 80, undefined],
    ['down from the last row', text, 20, 1, 80, undefined],
    ['up as far as there are rows', text, 24, -20, 80, 10],
    ['up a row of a wrapped line', 'one two three', 13, -1, 9, 5],
  ])('moves %s', (_, content, cursor, by, columns, moved) => {
    const buffer = moveTo(createBuffer(content), cursor);
    expect(moveVertically(buffer, by, columns)?.cursor).toBe(moved);
  });

  test('keeps its column across shorter lines', () => {
    const short = moveVertically(moveTo(createBuffer(text), 5), 1, 80);
    expect(short?.cursor).toBe(13);
    expect(short && moveVertically(short, 1, 80)?.cursor).toBe(19);
  });

  test('moves through any text from end to start', () => {
    expectForAll(fc.string({ unit: 'grapheme', maxLength: 40 }), (anyText) => {
      let buffer = createBuffer(anyText);
      for (let row = layout(buffer, 8).rows.length - 1; row > 0; row -= 1) {
        const moved = moveVertically(buffer, -1, 8);
        expect(moved && layout(moved, 8).cursorRow).toBe(row - 1);
        if (moved !== undefined) buffer = moved;
      }
      expect(moveVertically(buffer, -1, 8)).toBeUndefined();
    });
  });
});

test.each([
  ['is in both rows of a wrapped line', 'three four', 1, 10, 't[hree]|[four]'],
  ['is in two lines', 'three\nfour', 1, 10, 't[hree]|[four]'],
  ['is not in the row before it', 'one two', 4, 7, 'one |[two]'],
  ['includes a line end', 'one\ntwo', 1, 4, 'o[ne ]|two'],
  ['includes an empty line', '\ntwo', 0, 2, '[ ]|[t]wo'],
])('the selection %s: %j', (_, text, from, to, expected) => {
  const { rows } = layout({ ...draftFrom(text), cursor: 0 }, 6, 9, { from, to });
  const joined = rows.join('|').replaceAll('\u001B[27m\u001B[7m', '');
  expect(joined.replaceAll('\u001B[7m', '[').replaceAll('\u001B[27m', ']')).toBe(expected);
});
