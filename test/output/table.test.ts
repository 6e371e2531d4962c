import { expect, test } from 'vitest';
import { formatTable, spokenRows } from '../../src/output/table.ts';
import { colorStyle, plainStyle } from '../../src/terminal/style.ts';

const threeColumns = [
  { heading: 'ID' },
  { heading: 'SIZE', align: 'right' },
  { heading: 'NOTE' },
] as const;
const twoRows = [
  ['a', '1', 'short'],
  ['longer', '1,000', ''],
];
const style = plainStyle;
const terminal = { isTerminal: true, width: 80, style };

const empty = [['a', '', 'x']];
const narrow = { ...terminal, width: 19 };
const pipe = { ...narrow, isTerminal: false };

test.each([
  [
    'aligns columns under their headings on a terminal, without trailing spaces',
    twoRows,
    terminal,
    'ID       SIZE  NOTE\na           1  short\nlonger  1,000\n',
  ],
  ['separates cells by tabs in a pipe', twoRows, pipe, 'a\t1\tshort\nlonger\t1,000\t\n'],
  [
    'cuts rows on a narrow terminal',
    twoRows,
    narrow,
    'ID       SIZE  NOTE\na           1  sho…\nlonger  1,000\n',
  ],
  ['omits an empty column on a terminal', empty, terminal, 'ID  NOTE\na   x\n'],
  ['keeps an empty column in a pipe', empty, pipe, 'a\t\tx\n'],
])('%s', (_what, rows, layout, text) => {
  expect(formatTable(threeColumns, rows, layout)).toBe(text);
});

test('omits spare columns on a narrow terminal', () => {
  const withSpare = [{ heading: 'ID' }, { heading: 'SIZE', isSpare: true }, { heading: 'TITLE' }];
  const titled = [['a', '1', 'a title of some length']];
  const at = (width: number) => formatTable(withSpare, titled, { ...terminal, width });
  expect(at(30)).toBe('ID  SIZE  TITLE\na   1     a title of some len…\n');
  expect(at(24)).toBe('ID  TITLE\na   a title of some len…\n');
});

test('counts wide characters as two columns', () => {
  const table = formatTable([{ heading: 'A' }, { heading: 'B' }], [['日本', 'x']], terminal);
  expect(table).toBe('A     B\n日本  x\n');
});

test('a cell cannot add lines, tabs or escapes', () => {
  const hostile = [['a\nb', 'c\td', '\u001B[31me']];
  const piped = formatTable(threeColumns, hostile, { ...terminal, isTerminal: false });
  expect(piped.split('\n')).toHaveLength(2);
  expect(piped.split('\t')).toHaveLength(3);
  expect(piped).not.toContain('\u001B');
});

test('styles only the heading', () => {
  const styled = formatTable(threeColumns, twoRows, { ...terminal, style: colorStyle });
  const [heading, ...lines] = styled.split('\n');
  expect(heading).toMatch(/^\u001B\[1m.*\u001B\[22m$/);
  expect(lines.join('')).not.toContain('\u001B');
});

test('reads a table by rows, with the headings of the cells that have text', () => {
  const columns = [{ heading: 'ID' }, { heading: 'CHANGED' }, { heading: 'TITLE' }];
  const rows = [
    ['a1', 'just now', 'Tea\u001B[2J'],
    ['b2', '', 'Coffee'],
  ];
  expect(spokenRows(columns, rows)).toBe('a1, changed just now, title Tea\nb2, title Coffee\n');
});
