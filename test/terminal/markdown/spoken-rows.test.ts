import { describe, expect, test } from 'vitest';
import { documents } from '../markdown/documents.ts';
import { speak } from './speak.ts';

describe('rows', () => {
  const inRows = async (source: string, width: number, column = 0) =>
    (await speak([source], width, column)).join('');

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
  ])('end between words: %s', async (_, source, rows) => {
    expect(await inRows(source, 12)).toBe(rows);
  });

  test('do not end in code', async () => {
    const code = 'echo a long line of code';
    expect(await inRows(`~~~sh\n${code}\n~~~`, 12)).toBe(
      `code 1, sh,\n1 line:\n${code}\nend of code\n1\n`,
    );
  });

  test('begin after the label of the answer', async () => {
    expect(await inRows('One two three.', 16, 8)).toBe('One two\nthree.\n');
  });

  test('are the same in any pieces, and no longer than the terminal', async () => {
    for (const source of Object.values(documents)) {
      const whole = await inRows(source, 30);
      expect((await speak(source.split(''), 30)).join('')).toBe(whole);
    }
    const prose = 'The kettle is on. It boils soon, and then the tea is made! Who wants a cup?';
    for (const row of (await inRows(prose, 30)).split('\n')) expect(row.length).toBeLessThan(31);
  });
});
