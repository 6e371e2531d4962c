import { describe, expect, test } from 'vitest';
import { openBatchPlace, promptLines } from '../support/batch.ts';
import { jsonLines } from '../support/natter.ts';

interface Request {
  readonly custom_id: string;
  readonly method: string;
  readonly url: string;
  readonly body: object;
}

const parse = (text: string) => jsonLines(text) as readonly Request[];
const user = (content: string) => [{ role: 'user', content }];

describe('natter batch export', () => {
  test('writes a table and a template as an OpenAI batch file, and sends nothing', async () => {
    const place = await openBatchPlace();
    place.write('t.csv', 'id;text\nr1;good\nr2;bad\n');
    const words = ['export', 't.csv', '--template', 'Mood of {{text}}', '-o', 'out.jsonl'];
    const more = ['-m', 'nextgen', '-s', 'brief', '-t', '9', '--param', 'seed=1'];
    const { code, stderr } = await place.run([...words, ...more]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^natter: exported 2 requests, ~\d+ tokens\n$/);
    const messages = [{ role: 'system', content: 'brief' }, ...user('Mood of good')];
    expect(parse(place.read('out.jsonl'))[0]).toEqual({
      custom_id: 'r1',
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'nextgen', messages, max_tokens: 9, seed: 1 },
    });
    expect(place.bodies).toEqual([]);
  });

  test('names items without an id, and its file is an input of natter batch', async () => {
    const place = await openBatchPlace();
    const { stdout } = await place.run(['export', '-', '--limit', '2'], { input: promptLines(3) });
    expect(parse(stdout).map(({ custom_id: id }) => id)).toEqual([
      expect.stringMatching(/^natter-1-[\da-f]{16}$/),
      expect.stringMatching(/^natter-2-[\da-f]{16}$/),
    ]);
    place.write('requests.jsonl', stdout);
    const { code } = await place.run(['requests.jsonl']);
    expect(code).toBe(0);
    expect(new Set(place.asked)).toEqual(new Set(['prompt 1', 'prompt 2']));
  });

  test('leaves out the items answered in a results file', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', promptLines(4));
    await place.run(['p.txt', '-o', 'answers.jsonl', '--shard', '1/2']);
    const { stdout } = await place.run(['export', 'p.txt', '--results', 'answers.jsonl']);
    expect(parse(stdout).map(({ body }) => body)).toEqual([
      { model: 'origin', messages: user('prompt 2') },
      { model: 'origin', messages: user('prompt 4') },
    ]);
  });

  test('leaves out invalid lines, and reports them', async () => {
    const place = await openBatchPlace();
    place.write('p.jsonl', '{"prompt":"a"}\noops\n{"prompt":"b","x":1}\n');
    const { code, stdout, stderr } = await place.run(['export', 'p.jsonl']);
    expect(code).toBe(2);
    expect(parse(stdout)).toHaveLength(1);
    expect(stderr).toContain('not exported: line 2 of p.jsonl is not JSON at column 1, and 1 more');
  });

  test('warns about what OpenAI does not accept', async () => {
    const place = await openBatchPlace();
    const input = `{"prompt":"a","model":"m"}\n${'{"prompt":"a"}\n'.repeat(50_000)}`;
    place.write('p.jsonl', input);
    const { code, stderr } = await place.run(['export', 'p.jsonl', '-o', 'out.jsonl']);
    expect(code).toBe(0);
    expect(stderr).toContain('OpenAI accepts at most 50,000 requests and 200 MB in a file');
    expect(stderr).toContain('the requests are for 2 models; OpenAI accepts one in a file');
  });

  test.each([
    [['p.txt', '-o', 'p.txt'], 'p.txt is the input'],
    [['p.txt', '-o', 'old.jsonl'], 'old.jsonl already exists'],
    [['p.txt', '--results', 'none.jsonl'], 'cannot read none.jsonl'],
    [['p.txt', '--results', 'old.jsonl'], 'line 1 of old.jsonl is not a result'],
    [['empty.txt'], 'empty.txt contains no prompt'],
    [['p.txt', '--template', '{{x}}', '--format', 'csv'], '"x" in the template is not a column'],
  ])('%j is refused', async (words, message) => {
    const place = await openBatchPlace();
    place.write('p.txt', 'one\n');
    place.write('empty.txt', '\n');
    place.write('old.jsonl', 'old\n');
    const { code, stderr } = await place.run(['export', ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(place.read('old.jsonl')).toBe('old\n');
    expect(place.read('p.txt')).toBe('one\n');
  });

  test('replaces a file with --force', async () => {
    const place = await openBatchPlace();
    place.write('p.txt', 'one\n');
    place.write('old.jsonl', 'old\n');
    const { code } = await place.run(['export', 'p.txt', '-o', 'old.jsonl', '--force']);
    expect(code).toBe(0);
    expect(parse(place.read('old.jsonl'))).toHaveLength(1);
  });
});
