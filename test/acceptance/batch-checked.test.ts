import { describe, expect, test } from 'vitest';
import { openBatchPlace } from '../support/batch.ts';
import { jsonLines, serviceAt } from '../support/natter.ts';
import { delta, done, finish, stream, streamed } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';

const right = '{"name": "Ada", "id": 12345678901234567890}';
const wrong = '{"name": 5}';
const schema = ['--schema', 'name, id? number'];
const words = ['p.txt', ...schema, '--concurrency', '1'];

interface CheckedResult {
  readonly content: string;
  readonly value?: { readonly name: string };
  readonly violations?: readonly object[];
  readonly checked_answers?: readonly { readonly content: string }[];
  readonly error?: { readonly kind: string };
}

/** A batch of these prompts whose service gives these answers, one to each request, and the last one to all others. */
async function openChecked(prompts: readonly string[], answers: readonly string[]) {
  const server = await serve(answers.map((answer) => [streamed(answer)]));
  const place = await openBatchPlace();
  place.write('p.txt', prompts.map((prompt) => `${prompt}\n`).join(''));
  const run = (options: readonly string[], settings: Readonly<Record<string, string>> = {}) =>
    place.run(options, { env: serviceAt(server, settings) });
  const promptsOf = () =>
    server.requests.map(({ body }) => {
      const { messages } = JSON.parse(body) as { messages: readonly { content: string }[] };
      return messages.map(({ content }) => content);
    });
  return {
    run,
    promptsOf,
    requests: server.requests,
    results: (...file: Parameters<typeof place.results>) => place.results(...file),
    read: (...file: Parameters<typeof place.read>) => place.read(...file),
    write: (...file: Parameters<typeof place.write>) => place.write(...file),
  };
}

const resultsOf = (text: string) => jsonLines(text) as readonly CheckedResult[];

describe('natter batch --schema', () => {
  test('sends the schema, and has the value with its digits in the result', async () => {
    const { run, promptsOf } = await openChecked(['who?'], [`\`\`\`json\n${right}\n\`\`\``]);
    const { code, stdout } = await run([...words, '--select', '/name']);
    expect(code).toBe(0);
    expect(stdout).toContain('"value":{"name":"Ada","id":12345678901234567890},"selected":"Ada"}');
    expect(resultsOf(stdout)).toMatchObject([{ value: { name: 'Ada' }, violations: [] }]);
    expect(promptsOf()).toEqual([[expect.stringMatching(/^who\?\n\nAnswer with one JSON value/)]]);
  });

  test('asks again with the violations, and keeps both answers', async () => {
    const { run, promptsOf } = await openChecked(['who?', 'and?'], [wrong, right]);
    const { code, stdout } = await run(words);
    expect(code).toBe(0);
    const [first, second] = resultsOf(stdout);
    expect(first?.checked_answers?.map(({ content }) => content)).toEqual([wrong, right]);
    expect(second).not.toHaveProperty('checked_answers');
    const [, again] = promptsOf();
    expect(again).toEqual([
      expect.stringContaining('who?'),
      wrong,
      expect.stringContaining('- /name must be a string'),
    ]);
  });

  test('exits with 13 if all failures are mismatches, and sends only those again', async () => {
    const { run, results, requests } = await openChecked(['a', 'b'], [right, wrong, wrong, right]);
    const { code, stderr } = await run([...words, '-o', 'r.jsonl']);
    expect({ code, requests: requests.length }).toEqual({ code: 13, requests: 3 });
    expect(stderr).toContain('1 failed');
    const [, failed] = results('r.jsonl');
    expect(failed).toMatchObject({
      content: wrong,
      violations: [{ path: '/name' }],
      error: { kind: 'mismatch' },
    });
    const again = await run([...words, '-o', 'r.jsonl']);
    expect({ code: again.code, requests: requests.length }).toEqual({ code: 0, requests: 4 });
    expect(results('r.jsonl')).toMatchObject([{ index: 1 }, { index: 2, content: right }]);
  });

  test('sends mismatches again with --rerun-failed', async () => {
    const { run, requests } = await openChecked(['a'], [wrong, right]);
    const options = ['--schema-retries', '0', '--rerun-failed', '1', '-o', 'r.jsonl'];
    const { code } = await run([...words, ...options]);
    expect({ code, requests: requests.length }).toEqual({ code: 0, requests: 2 });
  });

  test('refuses to resume with a different schema', async () => {
    const { run, requests } = await openChecked(['a'], [right]);
    await run([...words, '-o', 'r.jsonl']);
    const { code } = await run(['p.txt', '--schema', 'name, x?', '-o', 'r.jsonl']);
    expect({ code, requests: requests.length }).toEqual({ code: 2, requests: 1 });
  });

  test('writes the prompt of the input and the answer as received to CSV', async () => {
    const { run, read } = await openChecked(['who?'], [wrong]);
    const { stdout } = await run([...words, '--output-format', 'csv']);
    await run([...words, '--output-format', 'csv', '-o', 'r.csv']);
    expect(stdout.split('\n')[1]).toMatch(/^,who\?,"\{""name"": 5\}",mismatch: /);
    expect(read('r.csv')).toBe(stdout);
  });

  test('adds response_format only if the setting says so', async () => {
    const { run, requests } = await openChecked(['a'], [right]);
    await run(words);
    await run([...words, '--response-format', 'json_object']);
    const formats = requests.map(({ body }) => JSON.parse(body) as object);
    expect(formats[0]).not.toHaveProperty('response_format');
    expect(formats[1]).toMatchObject({ response_format: { type: 'json_object' } });
  });

  test('counts the schema in the estimate of --dry-run', async () => {
    const { run } = await openChecked(['a'], [right]);
    const tokens = async (options: readonly string[]) => {
      const { stderr } = await run(['p.txt', ...options, '--dry-run']);
      return Number(/~(\d+) tokens/.exec(stderr)?.[1]);
    };
    expect(await tokens(schema)).toBeGreaterThan((await tokens([])) + 40);
  });

  test('keeps the tokens of all answers within --max-total-tokens', async () => {
    const { run, results, requests } = await openChecked(['a'], [wrong, right]);
    const limited = [...words, '-t', '100', '-o', 'r.jsonl'];
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

  test.each([
    [['--schema', 'name itn'], /did you mean int/],
    [['--schema-retries', '1'], /--schema-retries needs --schema/],
    [['--schema', 'name', '--fallback', 'nextgen'], /cannot be used with/],
  ])('%j is refused before anything is sent', async (options, message) => {
    const { run, requests } = await openChecked(['a'], [right]);
    const { code, stderr } = await run(['p.txt', ...options]);
    expect({ code, requests: requests.length }).toEqual({ code: 2, requests: 0 });
    expect(stderr).toMatch(message);
  });
});

test('a notice reports that the setting fallback does not apply to checked answers', async () => {
  const { run } = await openChecked(['a'], [right]);
  const { code, stderr } = await run(['p.txt', ...schema], { NATTER_FALLBACK: 'nextgen' });
  expect(code).toBe(0);
  const notice = 'natter: the setting fallback does not apply to a batch with checked answers\n';
  expect(stderr.split(notice)).toHaveLength(2);
});

test('an answer that was cut at --max-tokens is not a transient failure', async () => {
  const answer = stream(delta('{"name": "Ad'), finish('length'), done);
  const server = await serve([[Buffer.concat(answer)]]);
  const place = await openBatchPlace();
  place.write('p.txt', 'who?\n');
  const { code } = await place.run(['p.txt', ...schema], { env: serviceAt(server) });
  expect(code).toBe(11);
});
