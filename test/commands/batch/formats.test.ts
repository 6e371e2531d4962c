import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rule } from '../../sandbox/sandbox-helpers.ts';
import { openBatchPlace, openFiles, openPrompts, promptLines } from '../../support/batch.ts';
import { expectFailure } from '../../support/in-memory.ts';
import { jsonLines, serviceAt } from '../../support/natter.ts';
import { delta, done, finish, stream, streamed } from '../../support/raw-replies.ts';
import { serve } from '../../support/serve.ts';

describe('--output-format openai', () => {
  const words = ['p.txt', '-o', 'out.jsonl', '--output-format', 'openai', '--retries', '0'];

  test('has the shape of an OpenAI batch output file, and resumes', async () => {
    const place = await openPrompts(3, [rule('500 times=1')]);
    expect((await place.run([...words, '--concurrency', '1'])).code).toBe(75);
    const [refused, answered] = jsonLines(place.read('out.jsonl'));
    const name = expect.stringMatching(/^natter-1-[\da-f]{16}$/) as string;
    expect(refused).toEqual({
      id: name,
      custom_id: name,
      response: {
        status_code: 500,
        request_id: expect.stringContaining('sandbox-request') as string,
        body: { error: expect.objectContaining({ type: 'server_error' }) as object },
      },
      error: null,
    });
    const message = { role: 'assistant', content: 'prompt 2', refusal: null };
    expect(answered).toMatchObject({
      response: {
        status_code: 200,
        body: {
          id: expect.stringMatching(/^chatcmpl-/) as string,
          object: 'chat.completion',
          created: expect.any(Number) as number,
          model: 'origin',
          choices: [{ index: 0, message, finish_reason: 'stop' }],
          usage: { total_tokens: expect.any(Number) as number },
        },
      },
      error: null,
    });
    const { code, stderr } = await place.run(words);
    expect(code).toBe(0);
    expect(stderr).toContain('3 of 3 items answered (2 before)');
    expect(place.asked).toHaveLength(4);
    expect(jsonLines(place.read('out.jsonl'))).toHaveLength(3);
  });

  test('keeps the text of a cut answer beside its error', async () => {
    const place = await openBatchPlace([rule('tokens=50 fin cut-after=5')]);
    const { stdout } = await place.run(['-', '--output-format', 'openai'], {
      input: '{"id":"x","prompt":"one"}\n',
    });
    const [result] = jsonLines(stdout) as [
      { custom_id: string; response: { body: { choices: [{ message: { content: string } }] } } },
    ];
    expect(result).toMatchObject({ custom_id: 'x', error: { code: 'incomplete' } });
    expect(result.response.body.choices[0].message.content).not.toBe('');
  });

  test('has an error for an invalid item', async () => {
    const place = await openBatchPlace();
    const { stdout } = await place.run(['--format', 'jsonl', '--output-format', 'openai'], {
      input: 'oops\n',
    });
    expect(jsonLines(stdout)).toEqual([
      {
        id: 'natter-1',
        custom_id: 'natter-1',
        response: null,
        error: { code: 'usage', message: 'line 1 of the input is not JSON at column 1' },
      },
    ]);
  });

  test('of a pipe goes to a file, too', async () => {
    const place = await openBatchPlace();
    await place.run(['-', ...words.slice(1)], { input: promptLines(2) });
    expect(jsonLines(place.read('out.jsonl'))).toHaveLength(2);
  });
});

describe('--output-format csv', () => {
  const table = 'id;text\n1;"a;b"\n2;[sandbox 400] x\n3;"two\nlines"\n';
  const words = ['t.csv', '--template', '{{text}}', '--output-format', 'csv'];

  const openTablePlace = () => openFiles({ 't.csv': table });

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
    const place = await openPrompts(3, [rule('401')]);
    const run = ['p.txt', '--output-format', 'csv', '-o', 'out.csv', '--concurrency', '1'];
    expect((await place.run(run)).code).toBe(4);
    const lines = place.read('out.csv').split('\n');
    expect(lines[1]).toMatch(/^,prompt 1,,"?unauthorized: /);
    expect(lines.slice(2)).toEqual([',prompt 2,,', ',prompt 3,,', '']);
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
    expectFailure(await place.run([...words, ...more]), 2, message, hint);
    expect(place.asked).toEqual([]);
    expect(place.read('mine.csv')).toBe('important\n');
  });

  test('of a pipe needs no -o', async () => {
    const place = await openTablePlace();
    const run = ['-', ...words.slice(1), '--format', 'csv', '-o', 'out.csv'];
    const result = await place.run(run, { input: table });
    expectFailure(result, 2, '--output-format csv with -o needs a named input file');
  });
});

test('--summary and --progress-json report the run as JSON, also of a shard of an array job', async () => {
  const place = await openPrompts(4, [rule('500', { prompt: 'prompt 3' })]);
  const { code, stderr } = await place.run(
    ['p.txt', '-o', 'o.jsonl', '--shard', 'auto/2', '--retries', '0', '-q'].concat([
      '--summary',
      's.json',
      '--progress-json',
    ]),
    { env: { JOB_COMPLETION_INDEX: '1' } },
  );
  expect(code).toBe(75);
  const summary = JSON.parse(place.read('s.json')) as object;
  expect(summary).toMatchObject({
    input: 'p.txt',
    output: 'o.jsonl',
    shard: '1/2',
    exit_code: 75,
    exit_name: 'unfinished',
    items: { total: 2, answered: 1, failed: 1, left: 0 },
    causes: [{ kind: 'server_error', count: 1 }],
    latency_ms: { count: 1 },
  });
  const [line = '', ...rest] = stderr.split('\n');
  expect(JSON.parse(line)).toEqual(summary);
  expect(rest[0]).toMatch(/^natter: 1 of 2 items answered/);
});

test.each([
  [['--summary', 'p.txt'], 'p.txt is the input; the summary cannot be written to it'],
  [['--summary', 'o.jsonl', '-o', 'o.jsonl'], 'o.jsonl is the results file'],
  [['--summary', 'none/s.json'], '--summary: there is no folder '],
  [['--summary', 'link'], '--summary: link is not a regular file'],
  [['--stop-after', 'soon'], '--stop-after must be a duration such as 500ms, 30s, 10m or 1h'],
  [['--shard', 'auto'], '--shard auto: this is not an array job: none of SLURM_ARRAY_TASK_ID'],
])('%j is refused before anything is sent', async (words, message) => {
  const place = await openPrompts(2);
  place.write('o.jsonl', '');
  symlinkSync('/dev/stderr', join(place.folder, 'link'));
  expectFailure(await place.run(['p.txt', ...words]), 2, message);
  expect(place.asked).toEqual([]);
});

const right = '{"name": "Ada", "id": 12345678901234567890}';

const wrong = '{"name": 5}';

const schema = ['--schema', 'name, id? number'];

const checkedWords = ['p.txt', ...schema, '--concurrency', '1'];

/** A batch of these prompts whose service gives these answers, one to each request, and the last one to all others. */
async function openChecked(prompts: readonly string[], answers: readonly string[]) {
  const server = await serve(answers.map((answer) => [streamed(answer)]));
  const place = await openFiles({ 'p.txt': prompts.map((prompt) => `${prompt}\n`).join('') });
  const { requests } = server;
  const run = (options: readonly string[]) => place.run(options, { env: serviceAt(server) });
  const promptsOf = () =>
    server.bodies().map(({ messages }) => messages.map(({ content }) => content));
  return { ...place, run, promptsOf, requests };
}

test('natter batch -x has the code of each answer, and sends items without it again', async () => {
  const { run, results } = await openChecked(['a', 'b'], ['```sh\nls\n```', 'no', '```\nb\n```']);
  const words = ['p.txt', '-x', '--concurrency', '1', '-o', 'r.jsonl'];
  expect((await run(words)).code).toBe(13);
  const [first, second] = results('r.jsonl');
  expect(first).toMatchObject({ code: 'ls\n', language: 'sh' });
  expect(second).toMatchObject({ content: 'no', code: null, error: { kind: 'mismatch' } });
  expect((await run(words)).code).toBe(0);
  expect(results('r.jsonl')).toMatchObject([{ code: 'ls\n' }, { code: 'b\n', language: null }]);
});

describe('natter batch --schema', () => {
  test('sends the schema, and has the value with its digits in the result', async () => {
    const { run, promptsOf } = await openChecked(['who?'], [`\`\`\`json\n${right}\n\`\`\``]);
    const { code, stdout } = await run([...checkedWords, '--select', '/name']);
    expect(code).toBe(0);
    expect(stdout).toContain('"value":{"name":"Ada","id":12345678901234567890},"selected":"Ada"}');
    expect(jsonLines(stdout)).toMatchObject([{ value: { name: 'Ada' }, violations: [] }]);
    expect(promptsOf()).toEqual([[expect.stringMatching(/^who\?\n\nAnswer with one JSON value/)]]);
  });

  test('exits with 13 if all failures are mismatches, and sends only those again', async () => {
    const { run, results, requests } = await openChecked(['a', 'b'], [right, wrong, wrong, right]);
    const { code, stderr } = await run([...checkedWords, '-o', 'r.jsonl']);
    expect({ code, requests: requests.length }).toEqual({ code: 13, requests: 3 });
    expect(stderr).toContain('1 failed');
    const [, failed] = results('r.jsonl');
    expect(failed).toMatchObject({
      content: wrong,
      violations: [{ path: '/name' }],
      error: { kind: 'mismatch' },
    });
    const again = await run([...checkedWords, '-o', 'r.jsonl']);
    expect({ code: again.code, requests: requests.length }).toEqual({ code: 0, requests: 4 });
    expect(results('r.jsonl')).toMatchObject([{ index: 1 }, { index: 2, content: right }]);
  });

  test('writes the prompt of the input and the answer as received to CSV', async () => {
    const { run, read } = await openChecked(['who?'], [wrong]);
    const { stdout } = await run([...checkedWords, '--output-format', 'csv']);
    await run([...checkedWords, '--output-format', 'csv', '-o', 'r.csv']);
    expect(stdout.split('\n')[1]).toMatch(/^,who\?,"\{""name"": 5\}",mismatch: /);
    expect(read('r.csv')).toBe(stdout);
  });

  test('keeps the tokens of all answers within --max-total-tokens', async () => {
    const { run, results, requests } = await openChecked(['a'], [wrong, right]);
    const limited = [...checkedWords, '-t', '100', '-o', 'r.jsonl'];
    const { code } = await run([...limited, '--max-total-tokens', '250']);
    expect({ code, requests: requests.length }).toEqual({ code: 15, requests: 1 });
    expect(results('r.jsonl')).toMatchObject([{ content: wrong, error: { kind: 'budget' } }]);
    expect(await run(limited)).toMatchObject({ code: 0 });
  });

  test('puts the schema into a message after a content that is not text', async () => {
    const { run, write } = await openChecked([], [right]);
    const content = [{ type: 'text', text: 'who?' }];
    const messages = [{ role: 'user', content }];
    const request = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions' };
    write('p.jsonl', JSON.stringify({ ...request, body: { model: 'origin', messages } }));
    const { stdout } = await run(['p.jsonl', ...schema, '--dry-run']);
    const added = expect.stringMatching(/^Answer with one JSON/) as string;
    expect(JSON.parse(stdout)).toMatchObject({
      request: { body: { messages: [...messages, { role: 'user', content: added }] } },
    });
  });
});

test('an answer that was cut at --max-tokens is not a transient failure', async () => {
  const answer = stream(delta('{"name": "Ad'), finish('length'), done);
  const server = await serve([[Buffer.concat(answer)]]);
  const place = await openFiles({ 'p.txt': 'who?\n' });
  const { code } = await place.run(['p.txt', ...schema], { env: serviceAt(server) });
  expect(code).toBe(11);
});
