import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { displayWidth } from '../../../src/terminal/text/width.ts';
import { expectForAll, fc } from '../../support/properties.ts';
import { openStream, render } from './render.ts';

function rowsOf(source: string | readonly string[], width: number): string[] {
  const output = render(source, { width, wrap: 'words' });
  return stripVTControlCharacters(output).trimEnd().split('\n');
}

/** What is shown without the ends of rows and the marks before them. */
const bare = (output: string) => output.replaceAll(/[\s>]/g, '');

const words = fc.constantFrom(
  ...'a to word **bold text** *em* `code span` 日本語 中文、 「引用」 한국어 👍🏽 e\u0301 (x) https://x.example/y/z'.split(
    ' ',
  ),
  'longwordwithoutanyspace',
  ...'word is the of and'.split(' '),
);
const starts = fc.constantFrom('', '', '- ', '10. ', '> ', '> - ', '### ', '- > ');
const line = fc
  .tuple(
    starts,
    fc.array(words, { minLength: 1, maxLength: 25 }),
    fc.constantFrom(' ', ' ', '', '  '),
  )
  .map(([start, some, space]) => start + some.join(space));
const prose = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n\n')), { minLength: 1, maxLength: 6 })
  .map((lines) => lines.flat().join(''));
const unbreakable =
  /(?:[^\s\u2e80-\uffef]|[、。」「]|.(?=[、。」])|(?<=[「(]).|[\uac00-\ud7a3])+/gu;
const widths = fc.oneof(fc.integer({ min: 8, max: 60 }), fc.constantFrom(80, 100, 200));

test.each<[string, string, number, readonly string[]]>([
  ['end between words', 'one two three', 8, ['one two', 'three']],
  ['may fill the width', 'one two', 7, ['one two']],
  ['keep a word with several styles whole', 'one **t**wo', 6, ['one', 'two']],
  ['are indented below a bullet', '- one two', 6, ['• one', '  two']],
  ['are indented below a number', '10. one two', 8, ['10. one', '    two']],
  ['have the bar of a quotation', '> one two', 6, ['│ one', '│ two']],
  ['have the bar of a nested quotation', '> - one two', 8, ['│ • one', '│   two']],
  ['leave a long word in a list whole', '- abcdefgh', 6, ['• abcdefgh']],
  ['do not start with a full stop', '今天天气。很好', 8, ['今天天', '气。很好']],
  ['do not end with an opening mark', '今天天「气」很', 8, ['今天天', '「气」很']],
  ['keep Korean words whole', '한국어 텍스트', 10, ['한국어', '텍스트']],
  ['have no marks in a very narrow window', '> > > one two', 9, ['│ │ │ one two']],
  ['wrap headings', '# one two', 5, ['one', 'two']],
])('rows of prose %s', (_, source, width, rows) => {
  expect(rowsOf(source, width)).toEqual(rows);
});

test('rows of prose do not depend on the pieces of the text', () => {
  expectForAll(prose, widths, (source, width) => {
    const look = { width, wrap: 'words', color: false } as const;
    expect(render(source.split(''), look)).toBe(render(source, look));
  });
});

test('rows of prose have all text of the source, and no other', () => {
  expectForAll(prose, widths, (source, width) => {
    const wrapped = render(source, { width, wrap: 'words', color: false });
    expect(bare(wrapped)).toBe(bare(render(source, { width, color: false })));
  });
});

test('rows of prose are no wider than the window, except for words that are wider', () => {
  expectForAll(prose, widths, (source, width) => {
    for (const row of rowsOf(source, width)) {
      const indent = /^[ │•>\d.]*/.exec(row)?.[0].length ?? 0;
      const longest = Math.max(...(row.match(unbreakable) ?? ['']).map(displayWidth));
      if (width - indent < 4 || longest > width - indent) continue;
      expect(displayWidth(row)).toBeLessThanOrEqual(width);
    }
  });
});

test('rows of prose show words as soon as they are complete', () => {
  const stream = openStream({ width: 20, wrap: 'words' });
  expect(stream.write('one two thr')).toBe('one two');
  expect(stream.undecided()).toBe(' thr');
  expect(stream.write('ee f')).toBe(' three');
});

test('rows of prose hold back an ideograph, whose place may depend on the next', () => {
  const stream = openStream({ width: 20, wrap: 'words' });
  expect(stream.write('今天天气')).toBe('今天');
  expect(stream.undecided()).toBe('天气');
  expect(stream.end()).toBe('天气\n');
});

test('rows of prose follow a window that changes its width', () => {
  let width = 20;
  const output: string[] = [];
  const stream = openStream({ wrap: 'words', columns: () => width });
  output.push(stream.write('one two three four five '));
  width = 10;
  output.push(stream.write('six seven eight '), stream.end());
  expect(output.join('')).toBe('one two three four\nfive six\nseven\neight\n');
});

test('rows of prose keep the style of a word that moves to the next row', () => {
  const output = render('a **bold text**', { width: 7, wrap: 'words' });
  expect(output).toBe('a \u001B[1mbold\u001B[22m\n\u001B[1mtext\u001B[22m\n');
});
