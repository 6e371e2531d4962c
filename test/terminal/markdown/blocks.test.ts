import { describe, expect, test } from 'vitest';
import { colorStyle } from '../../../src/terminal/style.ts';
import { processorTime } from '../../support/processor-time.ts';
import { render } from './render.ts';

const { bold, dim, italic, magenta, underline, green, cyan, blue } = colorStyle;
const bar = dim('│');

test.each([
  ['Y15: keeps the lines of a paragraph', 'one\ntwo \n   three', 'one\ntwo\nthree\n'],
  ['Y15: keeps a line break within bold text', '**a\nb**', `${bold('a')}\n${bold('b')}\n`],
  ['keeps hard breaks', 'one  \ntwo\\\nthree', 'one\ntwo\nthree\n'],
  ['keeps one blank line between paragraphs', 'one\n\n\n\ntwo', 'one\n\ntwo\n'],
  ['never breaks a long line', 'word '.repeat(100), `${'word '.repeat(100).trim()}\n`],
  ['keeps a backslash at the end', 'one\\', 'one\\\n'],
  [
    'shows the underline of a setext heading',
    'Title\n=====\ntext',
    `Title\n${dim('=====')}\ntext\n`,
  ],
  ['keeps definitions on their lines', '[1]: a\n[2]: b', '[1]: a\n[2]: b\n'],
  ['shows tags, and reads what is between them', '<p>\n*a*\n</p>', `<p>\n${italic('a')}\n</p>\n`],
  ['nothing for nothing', '', ''],
])('prose %s', (_name, source, output) => {
  expect(render(source)).toBe(output);
});

test.each([
  ['# One', magenta(underline(bold('One')))],
  ['## Two ##', magenta(bold('Two'))],
  ['### Three', bold('Three')],
  ['#### Four', italic('Four')],
  ['#hashtag', '#hashtag'],
  ['####### seven', '####### seven'],
])('headings %j', (source, output) => {
  expect(render(source)).toBe(`${output}\n`);
});

test('headings have a blank line before them', () => {
  expect(render('text\n### Three')).toBe(`text\n\n${bold('Three')}\n`);
});

test.each([
  ['bullets', '- a\n* b\n+ c', '• a\n• b\n• c\n'],
  ['numbers as written', '3. a\n4) b', '3. a\n4) b\n'],
  ['nested', '- a\n  - b\n    1. c', '• a\n  • b\n    1. c\n'],
  ['bullets two columns into a numbered item', '1. a\n  - b', '1. a\n   • b\n'],
  ['tasks', '- [x] a\n* [ ] b', `${green('✓')} a\n○ b\n`],
  ['numbered tasks', '1. [x] a\n2. [ ] b', `1. ${green('✓')} a\n2. ○ b\n`],
  ['a box elsewhere', 'a [x] b\n\n[x] c\n\n- [x]d', 'a [x] b\n\n[x] c\n\n• [x]d\n'],
  ['a continued item', '- a\n  b\nc', '• a\n  b\n  c\n'],
  ['paragraphs in an item', '- a\n\n  b', '• a\n\n  b\n'],
  ['an empty item', '-\n- a', '•\n• a\n'],
])('lists: %s', (_name, source, output) => {
  expect(render(source)).toBe(output);
});

test('bullets are written as they are without Unicode', () => {
  expect(render('* a', { unicode: false })).toBe('* a\n');
});

test.each([
  ['a paragraph', '> a\n> b\nlazy', `${bar} a\n${bar} b\n${bar} lazy\n`],
  ['paragraphs', '> a\n>\n> b', `${bar} a\n${bar}\n${bar} b\n`],
  ['a marker per line', '> a  \n> b', `${bar} a\n${bar} b\n`],
  ['nested', '> > a', `${bar} ${bar} a\n`],
  ['with a list', '> - a\n> - b', `${bar} • a\n${bar} • b\n`],
])('quotes: %s', (_name, source, output) => {
  expect(render(source)).toBe(output);
});

const rule = (text: string) => dim(text.padEnd(80, '─'));
const foot = rule('');

describe('code', () => {
  test('is between two rules, the first with number and language, and has no gutter', () => {
    expect(render('```ts\nlet a = "b";\n```\n\n~~~\nplain\n~~~')).toBe(
      `${rule('── 1 ts ')}\n${magenta('let')} ${blue('a')} = ${green('"b"')};\n${foot}\n\n${rule('── 2 ')}\nplain\n${foot}\n`,
    );
  });

  test.each([
    [
      'has no list indentation',
      '1. a\n   ```\n   b\n     c\n   ```\n2. d',
      '1. a\n',
      'b\n  c',
      '\n2. d\n',
    ],
    ['ends at a fence outside its list', '1. a\n   ```\n   b\n```\nc', '1. a\n', 'b', '\nc\n'],
    ['ends only at a fence as long', '````\n```\n~~~~\n````\na', '', '```\n~~~~', '\na\n'],
    ['keeps blank lines and marks', '```\n\n**a**\n\n```', '', '\n**a**\n', ''],
    ['may be indented instead', '    a\n\n      b\nc', '', 'a\n\n  b', '\nc\n'],
  ])('%s', (_what, source, before, code, after) => {
    expect(render(source)).toBe(`${before}${rule('── 1 ')}\n${code}\n${foot}\n${after}`);
  });

  test('keeps the state of its language between lines', () => {
    expect(render('```ts\n/* a\nb */ 1\n```')).toBe(
      `${rule('── 1 ts ')}\n${dim('/* a')}\n${dim('b */')} ${cyan('1')}\n${foot}\n`,
    );
  });

  test('names what to type at the end of its rule, if there is room', () => {
    const codeHint = (block: number) => `/copy ${block}`;
    const head = (width: number, info = 'ts') =>
      render(`\`\`\`${info}\nx\n\`\`\``, { width, codeHint }).split('\n', 1)[0];
    expect(head(24)).toBe(dim('── 1 ts ──────── /copy 1'));
    expect(head(19)).toBe(dim('── 1 ts ─── /copy 1'));
    expect(head(18)).toBe(dim('── 1 ts ──────────'));
    expect(head(7)).toBe(dim('── 1 ts'));
    expect(head(10, 'typescript')).toBe(dim('── 1 typescript'));
  });

  test('has rules of hyphens without Unicode', () => {
    const output = render('```ts\nx\n```', { width: 12, unicode: false });
    expect(output).toBe(`${dim('-- 1 ts ----')}\nx\n${dim('-'.repeat(12))}\n`);
  });

  test('has rules beside the bar of its quotation', () => {
    expect(render('> ```\n> x\n> ```', { width: 12 })).toBe(
      `${bar} ${dim('── 1 ─────')}\n${bar} x\n${bar} ${dim('─'.repeat(10))}\n`,
    );
    expect(render('>     x', { width: 12 })).toBe(render('> ```\n> x\n> ```', { width: 12 }));
  });
});

test.each([
  ['## Two *x* ##', '## Two *x*'],
  ['* a', '* a'],
  ['> a', '> a'],
  ['```ts\nlet a\n```', '``` 1 ts\nlet a\n```'],
  ['    a', '    a'],
  ['_ _ _', '_ _ _'],
])('without colour, %j keeps its marks', (source, output) => {
  expect(render(source, { color: false })).toBe(`${output}\n`);
});

test.each(['***', '---', '_ _ _'])('the break %s is a line', (source) => {
  expect(render(source, { width: 10 })).toBe(`${dim('─'.repeat(10))}\n`);
  expect(render(source, { width: 10, unicode: false })).toBe(`${dim('-'.repeat(10))}\n`);
});

test.each([
  ['one line of words', 'word '],
  ['one word', 'x'],
  ['one word in a list', 'x', '- '],
  ['marks that open', '*a '],
  ['brackets', '[a]('],
  ['tags that never end', '<a '],
  ['quotes', '> '],
  ['bars', '|'],
  ['spaces', ' ', 'a'],
  ['a heading of marks', '#', '# '],
  ['one line of code', 'x = 1;', '```ts\n'],
  ['combining marks', '\u0301', 'e'],
  ['ideographs', '今'],
  ['marks between ideographs', '。'],
  ['syllables', '한'],
  ['opening brackets', '( '],
  ['backticks of every length', Array.from({ length: 90 }, (_, at) => '`'.repeat(at)).join(' ')],
])('T15 does not hang on %s, 300,000 characters', async (_name, part, start = '') => {
  const source = start + part.repeat(300_000 / part.length);
  const pieces = source.match(/[\s\S]{1,50}/g) ?? [];
  for (const wrap of ['none', 'words'] as const) {
    expect(await processorTime(() => render(pieces, { wrap }))).toBeLessThan(5000);
  }
});
