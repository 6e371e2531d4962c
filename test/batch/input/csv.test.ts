import { describe, expect, test } from 'vitest';
import { type CsvRecord, readCsv } from '../../../src/batch/input/csv.ts';

/** The records of a text, read line by line. */
async function records(text: string, delimiter = ','): Promise<readonly CsvRecord[]> {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const numbered = lines.map((line, index) => ({ number: index + 1, text: line }));
  const found: CsvRecord[] = [];
  for await (const record of readCsv(numbered, delimiter)) found.push(record);
  return found;
}

const fields = async (text: string, delimiter?: string) =>
  (await records(text, delimiter)).map((record) => record.fields);

describe('fields', () => {
  test.each([
    ['plain', 'a,b,c\n', [['a', 'b', 'c']]],
    ['without a last line end', 'a,b', [['a', 'b']]],
    ['empty', ',,\n', [['', '', '']]],
    [
      'CRLF',
      'a,b\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['quoted', '"a","b"\n', [['a', 'b']]],
    ['quoted and empty', '"",x\n', [['', 'x']]],
    ['a delimiter in quotes', '"a,b",c\n', [['a,b', 'c']]],
    ['doubled quotes', '"say ""hi""",x\n', [['say "hi"', 'x']]],
    ['only a quote', '""""\n', [['"']]],
    ['a line end in quotes', '"a\nb",c\n', [['a\nb', 'c']]],
    ['a CRLF in quotes', '"a\r\nb",c\r\n', [['a\r\nb', 'c']]],
    ['a blank line in quotes', '"a\n\nb"\n', [['a\n\nb']]],
    ['a quote in quotes at a line end', '"a""\nb"\n', [['a"\nb']]],
    ['a quoted last field, CRLF', 'a,"b"\r\n', [['a', 'b']]],
    ['spaces around, which are kept', ' a , b\n', [[' a ', ' b']]],
    ['a quote within an unquoted field', '5" pipe,x\n', [['5" pipe', 'x']]],
    ['an empty last field', 'a,\n', [['a', '']]],
    ['an empty quoted last field', 'a,""\n', [['a', '']]],
    ['wide characters', '"日本, 語",é\n', [['日本, 語', 'é']]],
  ])('%s', async (_, text, expected) => {
    expect(await fields(text)).toEqual(expected);
  });

  test('are separated by the given delimiter', async () => {
    expect(await fields('a,b\t"c\td"\n', '\t')).toEqual([['a,b', 'c\td']]);
  });
});

test('a field may have millions of doubled quotes', async () => {
  const count = 2_000_000;
  const [[field = ''] = []] = await fields(`"${'""'.repeat(count)}",x\n`);
  expect(field.length).toBe(count);
});

describe('records', () => {
  test('have the number of their first line', async () => {
    const lines = (await records('a\n"b\nc"\nd\n')).map(({ line }) => line);
    expect(lines).toEqual([1, 2, 4]);
  });

  test.each([
    ['a letter', '"a"b,c\nd\n'],
    ['before an unclosed quote', '"a"b,"c\nd\n'],
    ['with a quote in an unquoted field', '5" pipe,"a"b\nd\n'],
    ['a space', '"a" ,c\nd\n'],
    ['a quote', 'x,""a"\nd\n'],
  ])('with text after a closing quote (%s) do not affect the next record', async (_, text) => {
    const found = await records(text);
    expect(found[0]?.problem).toBe('has text after a closing quote');
    expect(found[1]).toMatchObject({ line: 2, fields: ['d'] });
  });

  test('of two lines with text after a closing quote in the second do not affect the next record', async () => {
    const found = await records('x,"a\nb"c\nd\n');
    expect(found[0]).toMatchObject({ line: 1, problem: 'has text after a closing quote' });
    expect(found[1]).toMatchObject({ line: 3, fields: ['d'] });
  });

  test('are read in linear time', async () => {
    const lines = 20_000;
    const text = `"${'say ""hi""\n'.repeat(lines)}",x\n`;
    expect(await fields(text)).toEqual([['say "hi"\n'.repeat(lines), 'x']]);
  });

  test('have the line of an unclosed quote', async () => {
    expect((await records('a\n"b\nc\n')).at(-1)).toMatchObject({
      line: 2,
      problem: 'has an unclosed quote',
    });
  });
});
