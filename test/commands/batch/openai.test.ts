import { describe, expect, test } from 'vitest';
import { openBatchPlace, openFiles, openPrompts, promptLines } from '../../support/batch.ts';
import { expectFailure } from '../../support/in-memory.ts';
import { jsonLines } from '../../support/natter.ts';

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
    const place = await openFiles({ 't.csv': 'id;text\nr1;good\nr2;bad\n' });
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
    expect(await place.run(['requests.jsonl'])).toMatchObject({ code: 0 });
    expect(new Set(place.asked)).toEqual(new Set(['prompt 1', 'prompt 2']));
  });

  test('leaves out the items answered in a results file', async () => {
    const place = await openPrompts(4);
    await place.run(['p.txt', '-o', 'answers.jsonl', '--shard', '1/2']);
    const { stdout } = await place.run(['export', 'p.txt', '--results', 'answers.jsonl']);
    expect(parse(stdout).map(({ body }) => body)).toEqual([
      { model: 'origin', messages: user('prompt 2') },
      { model: 'origin', messages: user('prompt 4') },
    ]);
  });

  test('leaves out invalid lines, and reports them', async () => {
    const place = await openFiles({ 'p.jsonl': '{"prompt":"a"}\noops\n{"prompt":"b","x":1}\n' });
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
    expect(stderr).toContain('OpenAI accepts at most 50,000 requests, 200 MB and one model');
  });

  test.each([
    [['p.txt', '-o', 'p.txt'], 'p.txt is the input'],
    [['p.txt', '-o', 'old.jsonl'], 'old.jsonl already exists'],
    [['p.txt', '--results', 'none.jsonl'], 'cannot read none.jsonl'],
  ])('%j is refused', async (words, message) => {
    const place = await openFiles({ 'p.txt': 'one\n', 'old.jsonl': 'old\n' });
    expectFailure(await place.run(['export', ...words]), 2, message);
    expect(place.read('old.jsonl')).toBe('old\n');
    expect(place.read('p.txt')).toBe('one\n');
  });
});

const lines = (...values: readonly object[]) =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

const completion = (content: string, more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_711_652_795,
  model: 'engine-1',
  choices: [
    { index: 0, message: { role: 'assistant', content }, logprobs: null, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 },
  ...more,
});

const answer = (id: string | undefined, content: string, more: object = {}) => ({
  id: `batch_req_${id}`,
  custom_id: id,
  response: { status_code: 200, request_id: 'req_1', body: completion(content, more) },
  error: null,
});

/** A request that OpenAI did not process in time. */
const expired = (id: string) => ({
  ...answer(id, ''),
  response: null,
  error: { code: 'batch_expired', message: 'This request expired.' },
});

const refusal = (body: object | null) => ({ status_code: 400, request_id: 'req_2', body });

/** A request that OpenAI refused. */
const refused = (id: string) => {
  const error = { message: 'too long', type: 'invalid_request_error', param: null, code: null };
  return { ...answer(id, ''), response: refusal({ error }) };
};

/** A request that vLLM refused. */
const refusedByVllm = (id: string) => {
  const error = { object: 'error', message: 'bad prompt', type: 'BadRequestError', code: 400 };
  return { ...answer(id, ''), response: refusal(null), error };
};

test('natter batch export --schema puts the schema into the prompt, and no field that the service may refuse', async () => {
  const place = await openPrompts(2);
  const { code, stdout } = await place.run(['export', 'p.txt', '--schema', 'mood good|bad']);
  expect(code).toBe(0);
  const content = expect.stringMatching(/^prompt 1\n\nAnswer with one JSON value/) as string;
  expect(parse(stdout)[0]?.body).toEqual({ model: 'origin', messages: user(content) });

  const [good, bad] = parse(stdout).map(({ custom_id: id }) => id);
  const answers = [answer(good, '{"mood": "good"}'), answer(bad, '{"mood": "glad"}')];
  place.write('out.jsonl', lines(...answers));
  const run = ['import', 'p.txt', 'out.jsonl'];
  const schema = ['--schema', 'mood good|bad', '--select', '/mood', '-o', 'all.jsonl'];
  expect((await place.run([...run, ...schema])).code).toBe(11);
  expect(place.results('all.jsonl')).toMatchObject([
    { index: 1, value: { mood: 'good' }, selected: 'good' },
    { index: 2, error: { kind: 'mismatch' } },
  ]);
  expect((await place.run(run)).code).toBe(2);
});

const table = 'id,text\na,one\nb,two\nc,three\nd,four\n';

/** A place with a table, and with these results of a different engine. */
const openTablePlace = (results = '') => openFiles({ 't.csv': table, 'output.jsonl': results });

const importWords = ['import', 't.csv', 'output.jsonl', '--template', '{{text}}'];

describe('natter batch import', () => {
  test('joins an output and an error file to the input, and natter batch sends the rest', async () => {
    const place = await openTablePlace(lines(answer('c', 'THREE'), answer('a', 'ONE')));
    place.write('errors.jsonl', lines(refused('b')));
    const { code, stderr } = await place.run([...importWords, 'errors.jsonl', '-o', 'out.jsonl']);
    expect(code).toBe(11);
    expect(stderr).toMatch(
      /2 of 4 items answered in .*; 1 failed: 1 invalid_request; 1 without a result/,
    );
    expect(stderr).toContain('natter batch t.csv -o out.jsonl, with the same options, sends');
    expect(place.results('out.jsonl')).toMatchObject([
      {
        index: 1,
        line: 2,
        id: 'a',
        completion_id: 'chatcmpl-1',
        model: 'engine-1',
        content: 'ONE',
        finish_reason: 'stop',
        usage: { total_tokens: 5 },
      },
      {
        index: 2,
        error: {
          kind: 'invalid_request',
          status: 400,
          message: 'too long (400)',
          request_id: 'req_2',
        },
      },
      { index: 3, content: 'THREE' },
    ]);
    const rest = await place.run(['t.csv', '--template', '{{text}}', '-o', 'out.jsonl']);
    expect(rest.code).toBe(0);
    expect(new Set(place.asked)).toEqual(new Set(['two', 'four']));
    expect(place.results('out.jsonl')).toHaveLength(4);
  });

  test('joins a result to the first item of a repeated id', async () => {
    const place = await openTablePlace();
    place.write('t.csv', 'id,text\na,one\na,two\n');
    place.write('output.jsonl', lines(answer('a', 'ONE')));
    const { stderr } = await place.run([...importWords, '-o', 'out.jsonl']);
    expect(stderr).toMatch(/1 of 2 items answered in .*; 1 without a result/);
    expect(place.results('out.jsonl')).toMatchObject([{ index: 1, content: 'ONE' }]);
  });

  test.each([
    [expired('a'), { kind: 'server_error', message: 'This request expired. (batch_expired)' }],
    [refusedByVllm('a'), { kind: 'invalid_request', message: 'bad prompt (400)' }],
    [
      { ...refusedByVllm('a'), error: 'the url is not supported' },
      { kind: 'invalid_request', message: 'the url is not supported (400)' },
    ],
    [
      { ...answer('a', ''), response: { status_code: 200, body: { choices: [] } } },
      { kind: 'server_error' },
    ],
    [answer('a', 'x', { choices: [] }), { kind: 'server_error' }],
    [
      answer('a', 'x', {
        choices: [{ index: 0, message: { content: 'x' }, finish_reason: 'content_filter' }],
      }),
      { kind: 'no_answer' },
    ],
  ])('reads the failure %j', async (result, error) => {
    const place = await openTablePlace(lines(result));
    const { code, stdout } = await place.run(importWords);
    expect(code).toBe(11);
    expect(jsonLines(stdout)).toMatchObject([{ index: 1, error }]);
  });

  test('takes the results of an exported file, and refuses those of a different input', async () => {
    const place = await openPrompts(2);
    const { stdout } = await place.run(['export', 'p.txt']);
    const ids = jsonLines(stdout).map((request) => (request as { custom_id: string }).custom_id);
    place.write('output.jsonl', lines(...ids.map((id) => answer(id, `about ${id}`))));
    const run = ['import', 'p.txt', 'output.jsonl', '-o', 'out.jsonl'];
    const { code, stderr } = await place.run(run);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^natter: 2 of 2 items answered in /);
    expect((await place.run(['p.txt', '-o', 'out.jsonl'])).stderr).toContain('(2 before)');
    expect(place.asked).toEqual([]);

    place.write('p.txt', 'changed\nprompt 2\n');
    const other = await place.run(['import', 'p.txt', 'output.jsonl', '-o', 'new.jsonl']);
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('line 1 of output.jsonl is the result of "natter-1-');
    expect(place.has('new.jsonl')).toBe(false);
  });

  test('keeps the answers that the results file has', async () => {
    const place = await openTablePlace();
    await place.run(['t.csv', '--template', '{{text}}', '-o', 'out.jsonl', '--limit', '1']);
    place.write('output.jsonl', lines(answer('a', 'IMPORTED'), answer('b', 'TWO')));
    const { stderr } = await place.run([...importWords, '-o', 'out.jsonl']);
    expect(stderr).toMatch(/2 of 4 items answered \(1 before\) in .*; 2 without a result/);
    expect(place.results('out.jsonl').map(({ content }) => content)).toEqual(['one', 'TWO']);
  });

  test('writes a table', async () => {
    const place = await openTablePlace(lines(answer('b', 'TWO, "quoted"'), expired('a')));
    const more = '--output-format csv --answer-column mood -o out.csv'.split(' ');
    expect((await place.run([...importWords, ...more])).code).toBe(11);
    expect(place.read('out.csv')).toBe(
      [
        'id,text,mood,mood_error',
        'a,one,,server_error: This request expired. (batch_expired)',
        'b,two,"TWO, ""quoted""",',
        'c,three,,',
        'd,four,,\n',
      ].join('\n'),
    );
  });

  test('converts results of natter', async () => {
    const place = await openTablePlace();
    await place.run(['t.csv', '--template', '{{text}}', '-o', 'own.jsonl']);
    const run = ['import', 't.csv', 'own.jsonl', '--template', '{{text}}'];
    const rows = await place.run([...run, '--output-format', 'csv']);
    expect(rows.stdout).toContain('id,text,answer,answer_error\na,one,one,\n');
    await place.run([...run, '--output-format', 'openai', '-o', 'openai.jsonl']);
    const back = ['import', 't.csv', 'openai.jsonl', '--template', '{{text}}'];
    const { code, stdout } = await place.run(back);
    expect(code).toBe(0);
    const texts = ['one', 'two', 'three', 'four'];
    expect(jsonLines(stdout)).toMatchObject(
      texts.map((content, at) => ({ index: at + 1, content })),
    );
  });

  test.each([
    ['{"custom_id":"zz","response":null,"error":null}\n', 'is the result of "zz", which the input'],
    ['id,text\n', 'line 1 of output.jsonl is not a result of a batch'],
    [`${lines(answer('a', 'x'))}{"custom_id":"b","resp`, 'line 2 of output.jsonl is not a result'],
    [lines({ custom_id: 'a', method: 'POST' }), 'line 1 of output.jsonl is not a result'],
  ])('refuses %j, and writes nothing', async (text, message) => {
    const place = await openTablePlace(text);
    expectFailure(await place.run([...importWords, '-o', 'out.jsonl']), 2, message);
    expect(place.has('out.jsonl')).toBe(false);
  });

  test.each([
    [['import', '-', 'output.jsonl'], 'needs a named input file'],
    [['import', 't.csv', 'none.jsonl', '--template', '{{text}}'], 'cannot read none.jsonl'],
    [[...importWords, '-o', 'output.jsonl'], 'output.jsonl is the input'],
    [['import', 't.csv'], 'results'],
  ])('%j is refused', async (run, message) => {
    const place = await openTablePlace(lines(answer('a', 'x')));
    expectFailure(await place.run(run), 2, message);
  });
});
