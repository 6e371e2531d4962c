import { describe, expect, test } from 'vitest';
import { columnWidth, previewRows, takeRows, TextColumn } from '../../src/output/comparison.ts';
import { processorTime } from '../support/processor-time.ts';

const bold = (text: string) => `\u001B[1m${text}\u001B[22m`;

/** All rows of the columns. */
function layOut(texts: readonly string[], window: number): readonly string[] {
  const columns = texts.map(() => new TextColumn());
  for (const [index, column] of columns.entries()) {
    column.write(texts[index] ?? '');
    column.end();
  }
  return takeRows(columns, window, ' | ');
}

test.each<[string, readonly string[], number, readonly string[]]>([
  ['texts of equal length', ['one\ntwo\n', 'a\nb\n'], 20, ['one      | a', 'two      | b']],
  ['a short text leaves room', ['a', 'b\nc\nd'], 12, ['a    | b', '     | c', '     | d']],
  ['an empty text', ['', 'b'], 12, ['     | b']],
  ['long lines are wrapped', ['one two', 'three'], 12, ['one  | thre', 'two  | e']],
  ['wide characters count twice', ['今天', 'b'], 14, ['今天  | b']],
  ['three texts', ['a', 'b', 'c'], 16, ['a   | b   | c']],
  ['empty texts', ['', ''], 20, []],
])('%s', (_, texts, window, rows) => {
  expect(layOut(texts, window)).toEqual(rows);
});

test('the text columns share a window', () => {
  expect([columnWidth(80, 2), columnWidth(120, 3), columnWidth(4, 3)]).toEqual([38, 37, 1]);
});

describe('columns that grow', () => {
  test('return rows up to the end of the slowest one', () => {
    const [first, second] = [new TextColumn(), new TextColumn()];
    const take = () => takeRows([first, second], 12, ' | ');
    first.write('a\nb\nc\n');
    expect(take()).toEqual([]);
    second.write('x\ny');
    expect(take()).toEqual(['a    | x']);
    const preview = previewRows([first, second], 12, 5, ' | ');
    expect(preview).toEqual(['b    | y', 'c    |', '     |']);
    second.end();
    expect(take()).toEqual(['b    | y', 'c    |']);
  });

  test('continue in a window of a different size', () => {
    const [first, second] = [new TextColumn(), new TextColumn()];
    first.write('one two three four five');
    second.write('uno due tre quattro cinque');
    const rows = ['one two  | uno due', 'three    | tre', 'four     | quattro'];
    expect(takeRows([first, second], 20, ' | ')).toEqual(rows);
    for (const column of [first, second]) column.end();
    expect(takeRows([first, second], 60, ' | ')).toEqual(['five                         | cinque']);
  });
});

describe('a column', () => {
  test('has a row once no text can change it', () => {
    const column = new TextColumn();
    column.write('one two');
    expect(column.hasRow(8)).toBe(false);
    column.write(' three');
    expect(column.hasRow(8)).toBe(true);
    expect(column.take(8)).toBe('one two');
    expect(column.hasRow(8)).toBe(false);
    column.end();
    expect([column.isDone(), column.take(8), column.isDone()]).toEqual([false, 'three', true]);
  });

  test('previews the next rows without taking them', () => {
    const column = new TextColumn();
    column.write('one two\n\nthree four five');
    expect(column.preview(5, 4)).toEqual(['one', 'two', '', 'three']);
    expect(column.preview(5, 1)).toEqual(['one']);
    expect(column.take(5)).toBe('one');
  });

  test('shows a tab as spaces', () => {
    const column = new TextColumn();
    column.write('a\tb\n');
    expect(column.take(20)).toBe('a    b');
  });
});

describe('Y27: a column of one long coloured line', () => {
  test('takes linear time', async () => {
    const take = async (length: number) => {
      const column = new TextColumn();
      column.write(bold('word '.repeat(length / 5)));
      return processorTime(() => {
        while (column.hasRow(37)) column.take(37);
      });
    };
    await take(20_000);
    const [short, long] = [await take(100_000), await take(800_000)];
    expect(long).toBeLessThan(short * 16 + 200);
  });
});
