import { describe, expect, test } from 'vitest';
import { rule } from '../sandbox/sandbox-helpers.ts';
import { type BatchPlace, openBatchPlace, promptLines } from '../support/batch.ts';

describe('--output-format csv', () => {
  const table = 'id;text\n1;"a;b"\n2;[sandbox 400] x\n3;"two\nlines"\n';
  const words = ['t.csv', '--template', '{{text}}', '--output-format', 'csv'];

  async function openTablePlace(): Promise<BatchPlace> {
    const place = await openBatchPlace();
    place.write('t.csv', table);
    return place;
  }

  const rows = [
    'id;text;answer;answer_error\n',
    '1;"a;b";"a;b";\n',
    /2;\[sandbox 400\] x;;"?invalid_request: .*\n/.source,
    '3;"two\nlines";"two\nlines";\n',
  ];
  const whole = new RegExp(`^${rows.join('')}$`);

  test('has the columns of the input, the answer and the error', async () => {
    const place = await openTablePlace();
    const { code, stdout } = await place.run(words);
    expect(code).toBe(7);
    expect(stdout).toMatch(whole);
  });

  test('with -o is written after each run, and resumes', async () => {
    const place = await openTablePlace();
    await place.run([...words, '-o', 'out.csv', '--limit', '1']);
    expect(place.read('out.csv')).toBe(`${rows[0]}${rows[1]}`);
    await place.run([...words, '-o', 'out.csv']);
    expect(place.read('out.csv')).toMatch(whole);
    expect(place.asked).toHaveLength(3);
    const again = await place.run([...words, '-o', 'out.csv', '--dry-run']);
    expect(again.stderr).toContain('1 of 3 items would be sent (2 already answered)');
    expect(place.results('out.csv.jsonl')).toHaveLength(3);
  });

  test('has empty cells for items without a result', async () => {
    const place = await openBatchPlace([rule('401')]);
    place.write('p.txt', promptLines(3));
    const run = ['p.txt', '--output-format', 'csv', '-o', 'out.csv', '--concurrency', '1'];
    expect((await place.run(run)).code).toBe(4);
    const lines = place.read('out.csv').split('\n');
    expect(lines[1]).toMatch(/^,prompt 1,,"?unauthorized: /);
    expect(lines.slice(2)).toEqual([',prompt 2,,', ',prompt 3,,', '']);
  });

  test('of a pipe goes to a pipe', async () => {
    const place = await openTablePlace();
    const { stdout } = await place.run(['-', ...words.slice(1), '--format', 'csv'], {
      input: table,
    });
    expect(stdout).toMatch(whole);
  });

  test.each([
    [
      ['--answer-column', 'text'],
      'the input has a column "text" already',
      '--answer-column result',
    ],
    [
      ['-o', 'mine.csv'],
      'mine.csv already exists, and its results (mine.csv.jsonl) are missing',
      '',
    ],
    [['-o', 't.csv'], 't.csv is the input; results cannot be written to it', ''],
    [['--output-format', 'xml'], "'xml'", 'jsonl, openai, csv'],
  ])('with %j is refused before anything is sent', async (more, message, hint) => {
    const place = await openTablePlace();
    place.write('mine.csv', 'important\n');
    const { code, stderr } = await place.run([...words, ...more]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
    expect(place.asked).toEqual([]);
    expect(place.read('mine.csv')).toBe('important\n');
  });

  test('of a pipe needs no -o', async () => {
    const place = await openTablePlace();
    const run = ['-', ...words.slice(1), '--format', 'csv', '-o', 'out.csv'];
    const { code, stderr } = await place.run(run, { input: table });
    expect(code).toBe(2);
    expect(stderr).toContain('--output-format csv with -o needs a named input file');
  });

  test('reads UTF-16 tables of spreadsheets', async () => {
    const place = await openBatchPlace();
    const { stdout } = await place.run(['-', '--format', 'csv', '--output-format', 'csv'], {
      input: Buffer.from('\uFEFFprompt\tx\r\nh\u00e9\t1\r\n', 'utf16le'),
    });
    expect(stdout).toBe('prompt\tx\tanswer\tanswer_error\nh\u00e9\t1\th\u00e9\t\n');
  });
});
