import { describe, expect, test } from 'vitest';
import { createTextColumn, takeRow } from '../../../src/terminal/text/text-column.ts';
import { displayWidth } from '../../../src/terminal/text/width.ts';
import { processorTime } from '../../support/processor-time.ts';
import { fc } from '../../support/properties.ts';

const bold = (text: string) => `\u001B[1m${text}\u001B[22m`;
const reset = '\u001B[0m';

function rowsOf(line: string, width: number): string[] {
  const rows: string[] = [];
  for (let rest = line, row: string; ;) {
    [row, rest] = takeRow(rest, width);
    rows.push(row);
    if (rest === '') return rows;
  }
}

describe('the rows of a line', () => {
  test.each<[string, string, number, readonly string[]]>([
    ['what fits is one row', 'one two', 7, ['one two']],
    ['words stay whole', 'one two three', 8, ['one two', 'three']],
    ['a word too long is cut', 'abcdefgh', 3, ['abc', 'def', 'gh']],
    ['a word too long begins a row of its own', 'a bcdefgh', 4, ['a', 'bcde', 'fgh']],
    ['spaces at a break are dropped', 'one   two', 4, ['one', 'two']],
    ['spaces at the begin stay', '  one two', 5, ['  one', 'two']],
    ['spaces at the end take no room', 'one      ', 3, ['one']],
    ['ideographs break anywhere', '今天天气很好', 5, ['今天', '天气', '很好']],
    ['a word beside ideographs stays whole', '今天 weather', 7, ['今天', 'weather']],
    ['an emoji of several code points is one', '👩‍👩‍👧‍👧👩‍👩‍👧‍👧', 3, ['👩‍👩‍👧‍👧', '👩‍👩‍👧‍👧']],
    ['what is wider than the width has its own row', '今天', 1, ['今', '天']],
    ['an empty line is an empty row', '', 5, ['']],
  ])('%s', (_, line, width, rows) => {
    expect(rowsOf(line, width)).toEqual(rows);
  });

  test('end and begin with the colours they have', () => {
    expect(rowsOf(bold('one two'), 4)).toEqual([`\u001B[1mone${reset}`, '\u001B[1mtwo\u001B[22m']);
  });

  test('that are not coloured hold no escape code', () => {
    expect(rowsOf(`one two ${bold('x')}`, 4)[0]).toBe('one');
  });

  test('are no wider than the width and lose nothing but spaces', () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', 'b', ' ', '今', '👍🏽', 'é', bold('x')),
      maxLength: 60,
    });
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 12 }), (text, width) => {
        const visible = (line: string) => line.replaceAll(/\u001B\[\d+m| /g, '');
        const rows = rowsOf(text, width);
        expect(Math.max(...rows.map(displayWidth))).toBeLessThanOrEqual(width);
        expect(visible(rows.join(''))).toBe(visible(text));
      }),
    );
  });

  test('of a line full of what takes no room are found', () => {
    const line = `${'\u0301'.repeat(2000)}abcdef`;
    expect(rowsOf(line, 3).map((row) => row.replaceAll('\u0301', ''))).toEqual(['abc', 'def']);
  });
});

describe('a column', () => {
  test('gives out a row when no text can change it any more', () => {
    const column = createTextColumn();
    column.write('one two');
    expect(column.hasRow(8)).toBe(false);
    column.write(' three');
    expect(column.hasRow(8)).toBe(true);
    expect(column.take(8)).toBe('one two');
    expect(column.hasRow(8)).toBe(false);
    column.end();
    expect([column.isDone(), column.take(8), column.isDone()]).toEqual([false, 'three', true]);
  });

  test('takes the rest of a line at another width', () => {
    const column = createTextColumn();
    column.write('one two three four\n');
    expect(column.take(7)).toBe('one two');
    expect(column.take(5)).toBe('three');
    expect(column.take(20)).toBe('four');
  });

  test('shows what comes next and keeps it', () => {
    const column = createTextColumn();
    column.write('one two\n\nthree four five');
    expect(column.preview(5, 4)).toEqual(['one', 'two', '', 'three']);
    expect(column.preview(5, 1)).toEqual(['one']);
    expect(column.take(5)).toBe('one');
  });

  test('shows a tab as spaces', () => {
    const column = createTextColumn();
    column.write('a\tb\n');
    expect(column.take(20)).toBe('a    b');
  });
});

describe('Y27: a column of one long coloured line', () => {
  const line = bold('word '.repeat(40_000));

  test('takes linear time', async () => {
    const take = async (length: number) => {
      const column = createTextColumn();
      column.write(bold('word '.repeat(length / 5)));
      return processorTime(() => {
        while (column.hasRow(37)) column.take(37);
      });
    };
    await take(20_000);
    const [short, long] = [await take(100_000), await take(800_000)];
    expect(long).toBeLessThan(short * 16 + 200);
  });

  test('takes linear time in pieces that wait for the slowest column', async () => {
    const column = createTextColumn();
    const time = await processorTime(() => {
      for (let at = 0; at < line.length; at += 4) {
        column.write(line.slice(at, at + 4));
        column.hasRow(37);
        if (at % 400 === 0) column.preview(37, 10);
      }
    });
    expect(time).toBeLessThan(4000);
    column.end();
    const rows: string[] = [];
    for (let row = column.take(37); row !== undefined; row = column.take(37)) rows.push(row);
    const text = rows.join(' ').replaceAll(/\u001B\[\d+m/g, '');
    expect(text.replaceAll(/\s+/g, ' ').trim()).toBe('word '.repeat(40_000).trim());
    expect(column.isDone()).toBe(true);
  });
});
