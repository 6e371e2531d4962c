import { expect, test } from 'vitest';
import { readCsv } from '../../../src/batch/input/csv.ts';
import type { InputItem } from '../../../src/batch/input/item.ts';
import { tableHeader, formatResultRow } from '../../../src/batch/results/result-formats.ts';

const row = (cells: readonly string[], delimiter = ','): InputItem => ({
  index: 1,
  line: 2,
  id: undefined,
  row: { header: ['a', 'b'], cells, delimiter },
  content: { messages: [{ role: 'user', content: 'hi' }] },
});

async function readBack(text: string, delimiter: string): Promise<readonly string[] | undefined> {
  const lines = text.slice(0, -1).split('\n');
  const numbered = lines.map((line, at) => ({ number: at + 1, text: line }));
  let last: readonly string[] | undefined;
  for await (const { fields } of readCsv(numbered, delimiter)) last = fields;
  return last;
}

const answer = (content: string) => JSON.stringify({ content });

test.each([
  'plain',
  'a "quoted" word',
  'a,b;c\td',
  'two\nlines',
  'CR LF\r\nat a line end',
  ' spaces around ',
  '',
  '"',
  '=1+1',
])('an answer %j is read back unchanged', async (content) => {
  for (const delimiter of [',', ';', '\t']) {
    const text = formatResultRow(row(['x', content], delimiter), answer(content));
    expect(await readBack(text, delimiter)).toEqual(['x', content, content, '']);
  }
});

test('a row has as many cells as the header', () => {
  expect(formatResultRow(row(['x']), undefined)).toBe('x,,,\n');
  expect(formatResultRow(row(['x', 'y', 'z']), undefined)).toBe('x,y,,\n');
});

test('a failure has its kind and message, and the text before it', () => {
  const line = JSON.stringify({ content: 'cut', error: { kind: 'incomplete', message: 'no end' } });
  expect(formatResultRow(row(['x', 'y']), line)).toBe('x,y,cut,incomplete: no end\n');
});

test('an input that is not a table has the columns id and prompt', () => {
  const item: InputItem = {
    index: 1,
    line: 1,
    id: 'q',
    content: {
      messages: [
        { role: 'user', content: 'first' },
        { role: 'assistant', content: 'answer' },
        { role: 'user', content: 'last' },
      ],
    },
  };
  expect(tableHeader(item, 'mood')).toBe('id,prompt,mood,mood_error\n');
  expect(formatResultRow(item, answer('fine'))).toBe('q,last,fine,\n');
});
