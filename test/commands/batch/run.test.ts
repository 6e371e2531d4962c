import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rule } from '../../sandbox/sandbox-helpers.ts';
import {
  installPackages,
  nodeWarnings,
  openBatchPlace,
  openFiles,
  openPrompts,
  parseResults,
  promptLines,
} from '../../support/batch.ts';
import { folderOf } from '../../support/folder.ts';
import { expectFailure } from '../../support/in-memory.ts';
import { jsonLines } from '../../support/natter.ts';
import { response, streamed } from '../../support/raw-replies.ts';
import type { Reply } from '../../support/raw-server.ts';
import { runOn } from '../../support/serve.ts';

const contents = (text: string) => parseResults(text).map(({ content }) => content);

describe('natter batch', () => {
  test('answers one prompt per line, in order, and prints a summary on standard error', async () => {
    const place = await openPrompts(9);
    const { code, stdout, stderr } = await place.run(['p.txt']);
    expect(code).toBe(0);
    expect(contents(stdout)).toEqual(promptLines(9).trim().split('\n'));
    expect(stderr).toMatch(/^natter: 9 of 9 items answered in [\d.]+ s, \d+ tokens\n$/);
  });

  test('sends only the fields of the contract and those requested', async () => {
    const place = await openBatchPlace();
    const messagesOf = (system: string, content: string) => [
      { role: 'system', content: system },
      { role: 'user', content },
    ];
    const items = [
      { prompt: 'a' },
      { prompt: 'b', model: 'nextgen', max_tokens: 7, system: 'own' },
      { messages: messagesOf('mine', 'c') },
    ];
    place.write('p.jsonl', items.map((item) => JSON.stringify(item)).join('\n'));
    const words = ['p.jsonl', '--concurrency', '1', '-s', 'be brief', '--param', 'seed=1'];
    await place.run([...words, '--no-stream']);
    expect(place.bodies).toEqual([
      { model: 'origin', messages: messagesOf('be brief', 'a'), seed: 1 },
      { model: 'nextgen', messages: messagesOf('own', 'b'), max_tokens: 7, seed: 1 },
      { model: 'origin', messages: messagesOf('mine', 'c'), seed: 1 },
    ]);
  });

  test('reports an invalid line, sends the others, and exits with 2', async () => {
    const place = await openFiles({ 'p.jsonl': '{"prompt":"a"}\noops\n{"prompt":"b"}\n' });
    const { code, stdout, stderr } = await place.run(['p.jsonl']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'natter: warning: line 2 of p.jsonl is not JSON at column 1; see the results',
    );
    expect(parseResults(stdout)[1]).toMatchObject({
      index: 2,
      error: { kind: 'usage', message: 'line 2 of the input is not JSON at column 1' },
    });
    expect(place.asked.toSorted((one, other) => one.localeCompare(other))).toEqual(['a', 'b']);
  });

  test('keeps the text of an answer that was cut, and exits with 75', async () => {
    const place = await openBatchPlace([rule('tokens=50 fin cut-after=5')]);
    const { code, stdout } = await place.run(['-'], { input: 'one\n' });
    expect(code).toBe(75);
    const [result] = parseResults(stdout);
    expect(result).toMatchObject({ incomplete: true, error: { kind: 'incomplete' } });
    expect(result?.content).not.toBe('');
    await expect.poll(() => place.asked).toHaveLength(1);
  });

  test('repeats a cut answer only as often as --retry-incomplete allows', async () => {
    const place = await openBatchPlace([rule('fin cut-after=1 times=2')]);
    const { code, stdout } = await place.run(['-', '--retry-incomplete', '2'], { input: 'one\n' });
    expect(code).toBe(0);
    expect(parseResults(stdout)[0]).toMatchObject({ content: 'one', attempts: 3 });
  });

  test('keeps the text of a cut answer if the repeated request fails', async () => {
    const place = await openBatchPlace([rule('tokens=50 fin cut-after=5 times=1'), rule('500')]);
    const words = ['-', '--retry-incomplete', '1', '--retries', '0'];
    const { stdout } = await place.run(words, { input: 'one\n' });
    const [result] = parseResults(stdout);
    expect(result).toMatchObject({
      incomplete: true,
      attempts: 2,
      error: { kind: 'server_error' },
    });
    expect(result?.content).not.toBe('');
  });

  test.each([
    ['[sandbox 404] x\n', 6],
    ['[sandbox 400] x\n[sandbox 400] y\n', 7],
    ['[sandbox 404] x\n[sandbox 400] y\n', 1],
    ['[sandbox 404] x\nfine\n', 6],
  ])('exits for the failures of %j with %d', async (input, exitCode) => {
    const place = await openBatchPlace();
    const { code, stderr } = await place.run(['-'], { input });
    expect(code).toBe(exitCode);
    expect(stderr).toMatch(/failed: \d /);
  });

  test.each([
    [['nothing.txt'], '', 'cannot read nothing.txt: there is no such file or folder'],
    [['-'], '', 'standard input contains no prompt'],
    [['-', '--concurrency', '0'], 'x', '--concurrency must be a whole number from 1 to 1000'],
    [
      ['-', '--template', 'About {x}'],
      'x',
      'the template names no column, so all prompts would be identical',
    ],
    [['-', '-o', '.'], 'x', '. is not a regular file'],
  ])('refuses %j', async (words, input, message) => {
    const place = await openBatchPlace();
    expectFailure(await place.run(words, { input }), 2, `natter: ${message}\n`);
    expect(place.asked).toEqual([]);
  });

  test.each([
    ['no text', 'p.txt', ''],
    ['empty lines', 'p.txt', '\n \r\n'],
    ['only a header', 'p.csv', 'id,prompt\n'],
  ])('an input with %s is an error, and leaves no results file', async (_, name, text) => {
    const place = await openBatchPlace();
    place.write(name, text);
    for (const shard of [[], ['--shard', '2/2']]) {
      const result = await place.run([name, '-o', 'out.jsonl', ...shard]);
      expectFailure(result, 2, `natter: ${name} contains no prompt\n  put one prompt on each line`);
    }
    const piped = await place.run(['-', '--format', 'lines', '-o', 'out.jsonl'], { input: '\n' });
    expect(piped).toMatchObject({ code: 2 });
    expect(place.has('out.jsonl')).toBe(false);
  });

  test('a shard without items is not an error, and its file is empty', async () => {
    const place = await openFiles({ 'p.txt': 'one\n' });
    const { code, stderr } = await place.run(['p.txt', '--shard', '2/2', '-o', 'out.jsonl']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain('0 of 0 items answered');
    expect(place.read('out.jsonl')).toBe('');
  });
});

describe('a batch of which every item fails shows the cause in a pipe', () => {
  const fail = async (env: Readonly<Record<string, string>>) => {
    const place = await openPrompts(3);
    return place.run(['p.txt', '-o', 'out.jsonl', '--retries', '0'], { env });
  };

  test('an unreachable service', async () => {
    const { code, stderr } = await fail({ NATTER_BASE_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(75);
    expect(stderr).toMatch(/^natter: first failure \(unreachable\), line \d: .*refused.*$/m);
    expect(stderr).toContain('is the server on port 1 running?');
  });

  test.each([
    ['a wrong key', 'wrong-key'],
    ['no key', ''],
  ])('%s', async (_, key) => {
    const { code, stderr } = await fail({ NATTER_API_KEY: key });
    expect(code).toBe(4);
    expect(stderr.match(/the service requires a valid API key/g)).toHaveLength(1);
    expect(stderr).toContain('natter auth login');
  });
});

const count = 1000;

test('of 1,000 items with 5 % of 429s and 1 % of cuts, none is missing or duplicated', async () => {
  const place = await openPrompts(count, [
    rule('429 retry-after=0.01 every=20'),
    rule('echo fin cut-after=1 every=100'),
  ]);
  const words = ['p.txt', '-o', 'out.jsonl', '--concurrency', '16'];
  const first = await place.run(words);
  expect(first.code).toBe(75);
  const cut = place.results('out.jsonl').filter(({ error }) => error !== undefined);
  expect(cut.length).toBeGreaterThan(5);
  expect(new Set(cut.map(({ error }) => error?.kind))).toEqual(new Set(['incomplete']));
  expect(place.results('out.jsonl')).toHaveLength(count);
  const refused = place.asked.length - count;
  expect(refused).toBeGreaterThan(30);

  const again = await place.run([...words, '--retry-incomplete', '5']);
  expect(again.code).toBe(0);
  const results = place.results('out.jsonl');
  expect(results.map(({ index }) => index)).toEqual(
    Array.from({ length: count }, (_, at) => at + 1),
  );
  expect(results.map(({ content }) => `${content}\n`).join('')).toBe(promptLines(count));
}, 240_000);

test('many items in progress cause no warning of Node about listeners', async () => {
  const place = await openPrompts(40, [rule('delay=50ms')]);
  const warnings = nodeWarnings();
  const { code } = await place.run(['p.txt', '--concurrency', '40']);
  expect({ code, warnings }).toEqual({ code: 0, warnings: [] });
});

const failed: Reply = [response(500)];

const answered: Reply = [streamed('ok')];

async function runBatch(replies: readonly Reply[], lines: string, words: readonly string[] = []) {
  const folder = folderOf();
  const file = join(folder, 'prompts.jsonl');
  writeFileSync(file, lines);
  const run = await runOn(
    replies,
    ['batch', file, '--fallback', 'nextgen', '--concurrency', '1', ...words],
    { env: { NATTER_RETRIES: '0' } },
  );
  const bodies = run.server.bodies();
  return {
    ...run,
    results: jsonLines(run.stdout),
    bodies,
    models: bodies.map(({ model }) => model),
  };
}

test('--fallback sends each failed item to the next model', async () => {
  const items = '{"prompt":"a"}\n{"prompt":"b"}\n{"prompt":"c"}\n';
  const replies = [answered, failed, answered, failed, answered];
  const { code, results, models, stderr } = await runBatch(replies, items);
  expect(code).toBe(0);
  expect(models).toEqual(['origin', 'origin', 'nextgen', 'origin', 'nextgen']);
  expect(results).toMatchObject([
    { index: 1, model: 'origin', profile: 'default' },
    { index: 2, model: 'nextgen', fallbackFrom: [{ model: 'origin', reason: 'server_error' }] },
    { index: 3, model: 'nextgen', fallbackFrom: [{ model: 'origin', reason: 'server_error' }] },
  ]);
  const warnings = stderr.split('\n').filter((line) => line.includes('warning'));
  expect(warnings).toEqual([
    'natter: warning: origin: the service failed (500); falling back to nextgen',
    'natter: warning: 2 items fell back from origin to nextgen',
  ]);
});

const checked = ['--schema', 'age int', '--response-format', 'json_object'];

const ages = { wrong: [streamed('{"age":"x"}')], right: [streamed('{"age":3}')] };

test('with --schema, the model that --fallback came to is asked again', async () => {
  const replies = [failed, ages.wrong, ages.right];
  const { code, results, models, bodies } = await runBatch(replies, '{"prompt":"a"}\n', checked);
  expect({ code, models }).toEqual({ code: 0, models: ['origin', 'nextgen', 'nextgen'] });
  expect(results).toMatchObject([
    {
      model: 'nextgen',
      value: { age: 3 },
      fallbackFrom: [{ model: 'origin', reason: 'server_error' }],
      checked_answers: [{ content: '{"age":"x"}' }, { content: '{"age":3}' }],
    },
  ]);
  expect(bodies.map(({ messages }) => messages.length)).toEqual([1, 1, 3]);
  for (const body of bodies) expect(body).toHaveProperty('response_format');
});

test('with --schema, --fallback does not replace a model whose answers do not conform', async () => {
  const { code, models } = await runBatch([ages.wrong, ages.wrong], '{"prompt":"a"}\n', checked);
  expect({ code, models }).toEqual({ code: 13, models: ['origin', 'origin'] });
});

const queue = ['--queue', 'redis://127.0.0.1:1'];

test.each(['submit p.txt', 'work', 'status', 'collect'])(
  'natter batch %s names the packages that are missing',
  async (words) => {
    const place = await openPrompts(1);
    expect(await place.run([...words.split(' '), ...queue])).toMatchObject({
      code: 3,
      stdout: '',
      stderr:
        'natter: a queue needs the package bullmq, which is not installed\n' +
        '  npm install --global bullmq ioredis; if natter is not installed globally, also set NODE_PATH="$(npm root --global)"\n',
    });
  },
);

test('packages in the current folder are not loaded', async () => {
  const place = await openBatchPlace();
  installPackages(place.folder, { bullmq: '6.7.0', ioredis: '5.4.1' });
  expectFailure(await place.run(['status', ...queue]), 3, 'bullmq, which is not installed');
});
