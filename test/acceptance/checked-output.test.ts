import { describe, expect, test } from 'vitest';
import { askService } from '../support/ask-service.ts';
import { runInMemory } from '../support/in-memory.ts';
import { serviceAt } from '../support/natter.ts';
import { delta, done, finish, json, stream } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';

const fields = ['--schema', 'name, age int'];
const right = '{"name": "Ada",\n "age": 36}';
const wrong = '{"name": "Ada", "age": "36"}';

describe('--select', () => {
  const list = '{"items": [{"name": "Ada", "size": 12345678901234567890}]}';
  const schema = ['--schema', 'items [name, size int]'];

  test.each([
    ['/items/0/name', 'Ada'],
    ['/items/0/size', '12345678901234567890'],
    ['/items/0', '{"name": "Ada", "size": 12345678901234567890}'],
    ['', list],
  ])('%j prints one value', async (pointer, value) => {
    const words = [...schema, '--select', pointer, 'who?'];
    expect(await askService([list], words)).toMatchObject({
      code: 0,
      stdout: `${value}\n`,
      stderr: '',
    });
  });

  test('without a value there, it is a mismatch, and the model is not asked again', async () => {
    const { code, stdout, stderr, bodies } = await askService(
      [list, list],
      [...schema, '--select', '/items/1', 'who?'],
    );
    expect(stderr).toContain('natter: the answer has no value at /items/1\n');
    expect(stderr).toContain(list);
    expect({ code, stdout, requests: bodies.length }).toEqual({
      code: 13,
      stdout: '',
      requests: 1,
    });
  });

  test('without --schema, it reads any JSON answer, and sends the prompt alone', async () => {
    const found = await askService(
      [`\`\`\`\n${list}\n\`\`\``],
      ['--select', '/items/0/name', 'who?'],
    );
    expect(found).toMatchObject({ code: 0, stdout: 'Ada\n' });
    expect(found.bodies[0]?.messages).toEqual([{ role: 'user', content: 'who?' }]);
    const none = await askService(['Ada', 'Ada'], ['--select', '/name', 'who?']);
    expect(none).toMatchObject({ code: 13, stdout: '', bodies: [{}] });
    expect(none.stderr).toContain(
      'natter: the answer is not JSON\n  --schema asks the model for JSON',
    );
  });

  test('a text that is not a JSON Pointer is refused', async () => {
    const { code, stderr } = await askService([list], ['--select', 'items.0', 'who?']);
    expect({ code, stderr }).toMatchObject({ code: 2 });
    expect(stderr).toContain('--select must be a JSON Pointer such as /items/0/name');
  });
});

describe('an answer that is not a value', () => {
  test('is incomplete at the token limit, and is not requested again', async () => {
    const server = await serve([[Buffer.concat(stream(delta('{"na'), finish('length'), done))]]);
    const { code, stdout, stderr } = await runInMemory([...fields, 'who?'], {
      env: serviceAt(server),
    });
    expect({ code, stdout, requests: server.requests.length }).toEqual({
      code: 11,
      stdout: '',
      requests: 1,
    });
    expect(stderr).toContain('natter: the received answer:\n{"na\n');
    expect(stderr).toContain('it reached the token limit (finish_reason length)');
  });

  test.each([
    ['cut', '[sandbox misfit fin cut-after=2]', 11],
    ['filtered', '[sandbox misfit finish-reason=content_filter]', 14],
    ['refused', '[sandbox 401]', 4],
  ])('has the exit code of its cause if it was %s', async (_cause, group, code) => {
    const result = await runInMemory(['--sandbox', ...fields, `${group} who?`]);
    expect(result).toMatchObject({ code, stdout: '' });
  });
});

describe('--json', () => {
  test('has the value, and no violations', async () => {
    const number = '{"name": "Ada", "age": 12345678901234567890}';
    const { stdout, stderr } = await askService([number], [...fields, '--json', 'who?']);
    expect(stdout).toMatch(
      /"violations":\[\],"value":\{"name":"Ada","age":12345678901234567890\}\}\n$/,
    );
    expect(JSON.parse(stdout)).not.toHaveProperty('checked_answers');
    expect(stderr).toBe('');
  });

  test('has each answer with its violations and tokens, and their sums', async () => {
    const words = ['--sandbox', ...fields, '--json', '[sandbox misfit] who?'];
    const { code, stdout } = await runInMemory(words);
    const document = JSON.parse(stdout) as {
      usage: { total_tokens: number };
      checked_answers: { usage: { total_tokens: number } }[];
    };
    const usage = { total_tokens: expect.any(Number) as number };
    expect(document).toMatchObject({
      attempts: 2,
      violations: [],
      value: { name: 'sample', age: 1 },
      checked_answers: [
        { attempts: 1, usage, violations: [{ path: '', message: 'must be an object' }] },
        { attempts: 1, usage, violations: [] },
      ],
    });
    const tokens = document.checked_answers.map((answer) => answer.usage.total_tokens);
    expect(document.usage.total_tokens).toBe(tokens.reduce((sum, one) => sum + one, 0));
    expect(code).toBe(0);
  });

  test('has the violations, the content and no value after a mismatch', async () => {
    const words = [...fields, '--json', '--schema-retries', '0', 'who?'];
    const { code, stdout, stderr } = await askService([wrong], words);
    const document = JSON.parse(stdout) as object;
    const violations = [{ path: '/age', message: 'must be an integer' }];
    expect(document).toMatchObject({ content: wrong, violations, error: { kind: 'mismatch' } });
    expect(document).not.toHaveProperty('value');
    expect(JSON.parse(stderr)).toMatchObject({ error: { kind: 'mismatch' } });
    expect(code).toBe(13);
  });

  test('has the value of --select, too', async () => {
    const { stdout } = await askService([right], [...fields, '--json', '--select', '/age', 'who?']);
    expect(JSON.parse(stdout)).toMatchObject({ value: { name: 'Ada', age: 36 }, selected: 36 });
  });

  test('--jsonl ends with the value, or with the failure', async () => {
    const words = [...fields, '--jsonl', '--schema-retries', '0', 'who?'];
    const good = (await askService([right], words)).stdout.trim().split('\n');
    expect(JSON.parse(good.at(-1) ?? '')).toEqual({
      type: 'answer-checked',
      violations: [],
      value: { name: 'Ada', age: 36 },
    });
    const bad = (await askService([wrong], words)).stdout.trim().split('\n');
    const last = bad.slice(-2).map((line) => JSON.parse(line) as unknown);
    expect(last).toMatchObject([
      { type: 'answer-checked', violations: [{ path: '/age' }] },
      { type: 'answer-failed', error: { kind: 'mismatch' } },
    ]);
  });
});

test('without streaming, the answer is checked in the same way', async () => {
  const completion = (content: string) =>
    json(200, { choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] });
  const server = await serve([[completion(wrong)], [completion(right)]]);
  const words = [...fields, '--no-stream', 'who?'];
  const { stdout } = await runInMemory(words, { env: serviceAt(server) });
  expect(stdout).toBe(`${right}\n`);
});

test('a terminal shows the value without escape sequences, then the figures of all answers', async () => {
  const words = ['--sandbox', ...fields, '[sandbox misfit] who?'];
  const session = openTerminal(words);
  const { exitCode } = await session.exit;
  const text = await session.transcript();
  expect(text).toMatch(
    /\{\n {2}"name": "sample",\n {2}"age": 1\n\}\norigin · \d+ tokens in, \d+ out/,
  );
  expect(exitCode).toBe(0);
});
