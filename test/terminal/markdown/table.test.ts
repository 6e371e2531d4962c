import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { splitCells } from '../../../src/terminal/markdown/table.ts';
import { displayWidth } from '../../../src/terminal/text/width.ts';
import { render } from './render.ts';

function table(source: string, width = 80, unicode = true): string[] {
  const output = stripVTControlCharacters(render(source, { width, unicode }));
  return output.trimEnd().split('\n');
}

const people = `| Name | City | Age |
|:-----|:----:|----:|
| 愛子 | 東京 | 7 |
| Bob 👨‍👩‍👧‍👦 | **Rome** | 41 |`;

test('tables align by display width', () => {
  expect(table(people)).toEqual([
    'Name   │ City │ Age',
    '───────┼──────┼────',
    '愛子   │ 東京 │   7',
    'Bob 👨‍👩‍👧‍👦 │ Rome │  41',
  ]);
});

test('tables are drawn in ASCII without Unicode', () => {
  expect(table('|a|b|\n|-|-|\n|1|2|', 80, false).slice(0, 2)).toEqual(['a | b', '--+--']);
});

test('tables wrap their cells at the width, widest first', () => {
  const source = `| Key | Text |\n|---|---|\n| id | ${'some words '.repeat(8).trim()} |`;
  const lines = table(source, 40);
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(40);
  expect(
    lines
      .slice(2)
      .map((line) => line.slice(6))
      .join(' '),
  ).toBe('some words '.repeat(8).trim());
});

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, -5])('tables do not fail at width %i', (width) => {
  expect(table(people, width).join('\n')).toContain('愛子');
});

const wide = '| Name | Description | Note |\n|-|-|-|\n| a | some longer text | more text here |';
const records = ['Name: a', 'Description: some longer text', 'Note: more text here'];

test.each([
  ['become records if columns would be too narrow', wide, records],
  ['keep cells beyond the header', '|a|\n|---|\n|1|2|3|', ['a │   │ ', '──┼───┼──', '1 │ 2 │ 3']],
  ['without outer bars', 'Name | Age\n--- | ---\nBob | 7', ['Name | Age', '────┼──', 'Bob │ 7']],
  ['in a list', '- a\n  | x |\n  |---|\n  | 1 |', ['• a', '', '  x', '  ─', '  1']],
  ['break lines at <br>', '|a|b|\n|-|-|\n|1<br>2|3|', ['a │ b', '──┼──', '1 │ 3', '2 │']],
  ['need more than bars', '| a | b |\n| c | d |', ['| a | b |', '| c | d |']],
  ['show a header without rows', '| a | b |\n|---|---|', ['a │ b', '──┼──']],
  [
    'may follow a paragraph line',
    'Text:\n| a |\n|---|\n| 1 |\nMore',
    ['Text:', '', 'a', '─', '1', '', 'More'],
  ],
])('tables %s', (_what, source, rows) => {
  expect(table(source, 20)).toEqual(rows);
});

test('tables go out row by row beyond 500 rows', () => {
  const rows = Array.from({ length: 700 }, (_, row) => `| ${row} | text |`);
  const lines = table(['| n | t |', '|---|---|', ...rows].join('\n'));
  expect(lines).toHaveLength(702);
  expect(lines.at(-1)).toBe('699 │ text');
});

test.each([
  ['| a | b |', ['a', 'b']],
  ['a | b', ['a', 'b']],
  [String.raw`| a \| b | c |`, ['a | b', 'c']],
  [String.raw`| a \\| b |`, [String.raw`a \\`, 'b']],
  ['| | a |', ['', 'a']],
  ['|', ['']],
])('splitCells of %j', (row, cells) => {
  expect(splitCells(row)).toEqual(cells);
});
