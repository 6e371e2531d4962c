import { describe, expect, test } from 'vitest';
import { SpokenMarkdown } from '../../../src/terminal/markdown/spoken-markdown.ts';
import { fc } from '../../support/properties.ts';
import { cutAt, fragments, markdownOf } from './any-markdown.ts';

/** The output of each piece, and of the end. */
function speak(
  pieces: readonly string[],
  width = Number.POSITIVE_INFINITY,
  column = 0,
): readonly string[] {
  const stream = new SpokenMarkdown(() => width, column);
  const outputs: string[] = [];
  for (const piece of pieces) outputs.push(stream.write(piece));
  return [...outputs, stream.end()];
}

const spoken = (source: string) => speak([source]).join('');

describe('blocks', () => {
  test.each([
    ['headings', '## Two *words* ##', 'Heading 2: Two words\n'],
    ['a heading above its underline', 'Title\n===', 'Heading 1: Title\n'],
    ['a heading above dashes', 'Title\n---\n\n---', 'Heading 2: Title\n\nseparator\n'],
    ['bullets', '- a\n- b', 'bullet: a\nbullet: b\n'],
    ['numbers', '3. a\n4) b', '3. a\n4. b\n'],
    [
      'levels of lists where they change',
      '- a\n  - b\n  - c\n- d',
      'bullet: a\nlevel 2, bullet: b\nbullet: c\nlevel 1, bullet: d\n',
    ],
    ['a list in a number', '1. a\n   - b', '1. a\nlevel 2, bullet: b\n'],
    ['items that begin together', '1. - a', 'level 2, 1. bullet: a\n'],
    ['tasks', '- [ ] a\n- [x] b\n1. [X] c', 'to do: a\ndone: b\n1. done: c\n'],
    ['items without text', '- a\n-\n- b', 'bullet: a\nbullet: empty\nbullet: b\n'],
    ['items with blank lines between them', '- a\n\n- b', 'bullet: a\nbullet: b\n'],
    ['quotes', '> a\n> b\n\nc', 'quote: a\nb\n\nc\n'],
    ['quotes in quotes, with a list', '> > a\n> - b', 'quote in quote: a\nquote, bullet: b\n'],
    ['rules', 'a\n\n---\n\nb', 'a\n\nseparator\n\nb\n'],
    ['single line ends', 'a\nb', 'a\nb\n'],
    ['notes', 'a[^1]\n\n[^1]: b', 'a (note 1)\n\nnote 1: b\n'],
    [
      'code without a language',
      '```\na\n\nb\n```\nc',
      'code 1, 3 lines:\na\n\nb\nend of code 1\nc\n',
    ],
    ['indented code', '    a\n    b\n\nc', 'code 1, 2 lines:\na\nb\nend of code 1\n\nc\n'],
    ['empty code', '```sh\n```', 'code 1, sh, empty\n'],
    ['code without an end', '```sh\na', 'code 1, sh, 1 line:\na\nend of code 1\n'],
    [
      'code in a list',
      '- a\n  ```sh\n  b\n  ```',
      'bullet: a\ncode 1, sh, 1 line:\nb\nend of code 1\n',
    ],
  ])('are labelled: %s', (_what, source, text) => {
    expect(spoken(source)).toBe(text);
  });

  test('tables are read by rows, with the names of the columns', () => {
    const source =
      '| name | price |\n|---|--:|\n| **tea** | 2 |\n| a \\| b | |\n| x | y | z |\n\nafter';
    expect(spoken(source)).toBe(
      'table with 2 columns: name, price\n' +
        'row 1, name: tea, price: 2\n' +
        'row 2, name: a | b, price: empty\n' +
        'row 3, name: x, price: y, column 3: z\n\nafter\n',
    );
  });

  test('a table without outer bars is a table, and a line with a bar is text', () => {
    expect(spoken('a | b\n--|--\n1 | 2')).toBe(
      'a | b\ntable with 2 columns: column 1, column 2\nrow 1, column 1: 1, column 2: 2\n',
    );
    expect(spoken('a | b. c\nd')).toBe('a | b. c\nd\n');
  });

  test('long code is written as it arrives, and its end has the number of lines', () => {
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index}\n`);
    const outputs = speak(['```sh\n', ...lines, '```\n']);
    expect(outputs.join('')).toBe(`code 1, sh:\n${lines.join('')}end of code 1, 500 lines\n`);
    expect(outputs[450]).toBe('line 449\n');
  });
});

test.each([
  ['emphasis', '**a** *b* __c__ `d*`', 'a b c d*'],
  ['emphasis over lines', 'a **b\nc** d', 'a b\nc d'],
  ['deleted text', '~~a~~ b ~5', '(deleted: a) b ~5'],
  ['links with their address', '[a](https://b.c "d")', 'a (link: https://b.c, d)'],
  ['an address once', '<https://b.c> and https://d.e', 'https://b.c and https://d.e'],
  ['images', '![a](b.png)', '(image: a, b.png)'],
  ['references', '[a][b]', 'a (link b)'],
  ['characters', '&amp; &lt;b> \\* &#27;', '& <b> * &#27;'],
  ['tags of looks', 'press <kbd>Ctrl</kbd><br>x <div-x>', 'press Ctrl\nx <div-x>'],
  ['prices', 'from $5 to $10, or 5$ to 6$', 'from $5 to $10, or 5$ to 6$'],
])('text has no marks: %s', (_what, source, text) => {
  expect(spoken(source)).toBe(`${text}\n`);
});

test('a stream is written by sentences, rows and items', () => {
  const pieces = [
    'One. Tw',
    'o **bold. Th',
    'ree** four. ',
    'Five\n\n- a\n',
    '- b\n\n|a|\n|-|\n',
    '|1|\n|2|',
  ];
  expect(speak(pieces)).toEqual([
    'One.',
    '',
    ' Two bold.',
    ' Three four. Five\n',
    'bullet: a\nbullet: b\n\ntable with 1 column: a\n',
    'row 1, a: 1\n',
    'row 2, a: 2\n',
  ]);
});

test('a stream without sentence ends is written in parts', () => {
  const text = 'word '.repeat(2000);
  const outputs = speak([text, 'end']);
  expect(outputs[0]?.length).toBeGreaterThan(4000);
  expect(outputs.join('')).toBe(`${text}end\n`);
});

test('a stream with a product is written by sentences', () => {
  expect(speak(['3 * 4 is 12. Ne', 'xt'])).toEqual(['3 * 4 is 12.', '', ' Next\n']);
});

test('any Markdown is spoken the same in any pieces', () => {
  fc.assert(
    fc.property(markdownOf(fragments), fc.array(fc.nat(), { maxLength: 8 }), (source, cuts) => {
      const whole = spoken(source);
      expect(speak(cutAt(source, cuts)).join('')).toBe(whole);
      expect(speak(source.split('')).join('')).toBe(whole);
    }),
    { numRuns: 1000 },
  );
});

const letters = (text: string) => text.match(/[\p{L}\p{N}]/gu) ?? [];
const isPlain = (part: string) => !/[$&\\]|<b>/.test(part);

test('any Markdown is spoken with all its letters and digits, in order', () => {
  fc.assert(
    fc.property(markdownOf(fragments.filter(isPlain)), (source) => {
      const output = letters(spoken(source));
      let at = 0;
      for (const letter of output) if (letter === letters(source)[at]) at += 1;
      expect(letters(source).slice(at)).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

describe('rows', () => {
  const inRows = (source: string, width: number, column = 0) =>
    speak([source], width, column).join('');

  test.each([
    ['prose', 'One two three. Four five six.', 'One two\nthree. Four\nfive six.\n'],
    ['items', '- one two three four', 'bullet: one\ntwo three\nfour\n'],
    ['headings', '# one two three four', 'Heading 1:\none two\nthree four\n'],
    [
      'addresses, which stay whole',
      'see https://example.com/tea now',
      'see\nhttps://example.com/tea\nnow\n',
    ],
    [
      'rows of tables',
      '| a | b |\n|---|---|\n| one | two |',
      'table with 2\ncolumns: a,\nb\nrow 1, a:\none, b: two\n',
    ],
  ])('end between words: %s', (_, source, rows) => {
    expect(inRows(source, 12)).toBe(rows);
  });

  test('do not end in code', () => {
    const code = 'echo a long line of code';
    expect(inRows(`~~~sh\n${code}\n~~~`, 12)).toBe(
      `code 1, sh,\n1 line:\n${code}\nend of code\n1\n`,
    );
  });

  test('begin after the label of the answer', () => {
    expect(inRows('One two three.', 16, 8)).toBe('One two\nthree.\n');
  });

  test('are the same in any pieces, and no longer than the terminal', () => {
    const prose = 'The kettle is on. It boils soon, and then the tea is made! Who wants a cup?';
    const whole = inRows(prose, 30);
    expect(speak(prose.split(''), 30).join('')).toBe(whole);
    for (const row of whole.split('\n')) expect(row.length).toBeLessThan(31);
  });
});

test.each([
  ['$E = mc^2$', 'E = mc^2'],
  ['\\(\\frac{a}{b}\\)', '\\frac{a}{b}'],
  ['$x_1$ and $x_2$ are *not* $y_1 * y_2$', 'x_1 and x_2 are not y_1 * y_2'],
  ['from 5$ to 10$', 'from 5$ to 10$'],
])('mathematics is read as TeX: %s', (source, text) => {
  expect(spoken(source)).toBe(`${text}\n`);
});

test('mathematics is read as TeX: in blocks, on one line', () => {
  expect(spoken('$$\n\\sum_{i=1}^{n}\n  i\n$$\nafter')).toBe('formula: \\sum_{i=1}^{n} i\nafter\n');
});

test.each([
  ['$$ is the **process id**\n\nNext.', '$$ is the process id\n\nNext.\n'],
  ['- $$\n  x^2\n\nafter', 'bullet: $$\nx^2\n\nafter\n'],
  ['$$\nx\n\n# Title', '$$\nx\n\nHeading 1: Title\n'],
])('mathematics is read as TeX: a formula without an end is text: %j', (source, text) => {
  expect(spoken(source)).toBe(text);
});

test('mathematics is read as TeX: a long displayed formula is written as it arrives', () => {
  const lines = Array.from({ length: 1000 }, (_, index) => `x${index}\n`);
  const outputs = speak(['$$\n', ...lines, '$$\n', 'after']);
  expect(outputs[999]).toBe('\nx997');
  expect(outputs.join('')).toBe(`$$\n${lines.join('')}$$\nafter\n`);
});
