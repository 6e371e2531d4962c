import { describe, expect, test } from 'vitest';
import { promptsOf, read, user } from './read-helpers.ts';

describe('tables', () => {
  const csv = (text: string, template?: string) =>
    read(text, { format: 'csv', ...(template === undefined ? {} : { template }) });

  test('fill a template, but not the placeholders in values', async () => {
    const items = await csv('id,text\nr1,"good, {{id}}"\nr2,bad\n', 'Mood of {{text}} ({{id}})');
    expect(promptsOf(items)).toEqual(['Mood of good, {{id}} (r1)', 'Mood of bad (r2)']);
    expect(items.map(({ id }) => id)).toEqual(['r1', 'r2']);
  });

  test('with the column prompt need no template', async () => {
    const [item] = await csv('prompt,model,max_tokens\nhi,nextgen,7\n');
    expect(item?.content).toEqual({ messages: user('hi'), model: 'nextgen', maxTokens: 7 });
  });

  test('X12: can have columns that natter does not know', async () => {
    const [item] = await csv('prompt,temperature,category\nhi,0.2,greeting\n');
    expect(item?.content).toEqual({ messages: user('hi') });
  });

  test('ignore empty cells', async () => {
    const [item] = await csv('prompt,model,max_tokens\nhi,,\n');
    expect(item?.content).toEqual({ messages: user('hi') });
  });

  test('skip blank rows, and count a row of several lines once', async () => {
    const items = await csv('prompt\n\n"a\nb"\n\nc\n');
    expect(items.map(({ index, line }) => [index, line])).toEqual([
      [1, 3],
      [2, 6],
    ]);
  });

  test('report rows with too few or too many fields', async () => {
    const items = await csv('prompt,x\na\nb,1\nc,2,3\n');
    expect(promptsOf(items)).toEqual([
      'has 1 field, but the header has 2',
      'b',
      'has 3 fields, but the header has 2',
    ]);
  });

  test.each([
    ['text\nhi\n', undefined, 'the table has no column "prompt"'],
    ['text\nhi\n', '{{body}}', '"body" in the template is not a column'],
    ['a,a\n1,2\n', '{{a}}', 'the table header has "a" twice'],
  ])('with an unusable header are refused: %j', async (text, template, message) => {
    await expect(csv(text, template)).rejects.toMatchObject({ kind: 'usage', message });
  });

  test.each([
    ['semicolons', 'id;prompt\n1;"a; b, c"\n', 'a; b, c'],
    ['tabs', 'id\tprompt\n1\ta, b\n', 'a, b'],
    ['commas, and semicolons inside quotes', '"a;b;c",prompt\n1,x\n', 'x'],
    ['one column', 'prompt\na; b\n', 'a; b'],
  ])('are read with %s', async (_, text, prompt) => {
    expect(promptsOf(await csv(text))).toEqual([prompt]);
  });

  test('keep the row as it is in the input', async () => {
    const [item] = await csv('id;prompt\n1;a\n');
    expect(item?.row).toEqual({ header: ['id', 'prompt'], cells: ['1', 'a'], delimiter: ';' });
  });

  test('with tabs are read as TSV', async () => {
    expect(promptsOf(await read('prompt\tx\na, b\t1\n', { format: 'tsv' }))).toEqual(['a, b']);
  });
});
