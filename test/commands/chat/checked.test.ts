import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDataFolder } from '../../support/data-folder.ts';
import { folderOf } from '../../support/folder.ts';
import { expectFailure, runInMemory } from '../../support/in-memory.ts';
import { jsonLines, serviceAt } from '../../support/natter.ts';
import { answering, delta, done, finish, stream, streamed } from '../../support/raw-replies.ts';
import { fin, type Reply } from '../../support/raw-server.ts';
import { runOn, serve } from '../../support/serve.ts';

interface Used {
  readonly usage: { readonly total_tokens: number };
}

/** natter with a service that gives these answers, one to each request, and the last one to all others. */
async function askService(
  answers: readonly string[],
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const replies = answers.map((answer) => stream(delta(answer), finish('stop'), done));
  const result = await runOn(replies, words, { env });
  return { ...result, bodies: result.server.bodies() };
}

const fields = ['--schema', 'name, age int'];

const right = '{"name": "Ada",\n "age": 36}';

const wrong = '{"name": "Ada", "age": "36"}';

const instruction = `who?

Answer with one JSON value that conforms to the JSON Schema below. Write only the JSON: no code fence and no other text.

{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"],"additionalProperties":false}`;

const correction = `Your answer does not conform to the JSON Schema:

- /age must be integer

Answer again with one JSON value that conforms to it. Write only the JSON: no code fence and no other text.`;

test('docs/json.md shows what is sent', async () => {
  const guide = readFileSync('docs/json.md', 'utf8');
  const { stdout } = await runInMemory(['--schema', 'name', '--dry-run', 'invent a person']);
  const { request } = JSON.parse(stdout) as {
    request: { body: { messages: { content: string }[] } };
  };
  expect(guide).toContain(`\n${request.body.messages[0]?.content}\n\`\`\``);
  expect(guide).toContain(`\n${correction}\n\`\`\``);
});

describe('--schema', () => {
  test('prints the value as the model wrote it, and a line end', async () => {
    const { code, stdout, stderr, bodies } = await askService([right], [...fields, 'who?']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${right}\n`, stderr: '' });
    const messages = [{ role: 'user', content: instruction }];
    expect(bodies).toEqual([{ model: 'origin', messages, stream: true }]);
  });

  test('asks once more with the violations, and prints only the answer that conforms', async () => {
    const { code, stdout, stderr, bodies } = await askService([wrong, right], [...fields, 'who?']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${right}\n` });
    expect(stderr).toBe(
      'natter: the answer does not match the schema: /age must be integer; asking again (1 of 1)\n',
    );
    const texts = bodies[1]?.messages.map(({ content }) => content);
    expect(texts).toEqual([instruction, wrong, correction]);
  });

  test('exits with 13 if no answer conforms; the last one is on standard error', async () => {
    expect(await askService(['no', wrong, right], [...fields, '-q', 'who?'])).toMatchObject({
      code: 13,
      stdout: '',
      stderr: [
        'natter: the received answer:',
        wrong,
        'natter: the answer does not match the schema: /age must be integer',
        '  --json shows all violations; --schema-retries asks again more often\n',
      ].join('\n'),
    });
  });

  test.each([
    ['0', [wrong, right], { code: 13, bodies: [{}] }],
    ['2', ['no', wrong, right], { code: 0, stdout: `${right}\n` }],
  ])(
    '--schema-retries %s limits how often the model is asked again',
    async (retries, answers, expected) => {
      const words = [...fields, '--schema-retries', retries, 'who?'];
      expect(await askService(answers, words)).toMatchObject(expected);
    },
  );

  test('an empty answer is requested again with the same messages', async () => {
    const { code, stderr, bodies } = await askService(['', right], [...fields, 'who?']);
    expect(code).toBe(0);
    expect(stderr).toContain('the answer is empty; asking again (1 of 1)');
    expect(bodies[1]).toEqual(bodies[0]);
  });
});

describe('the schema', () => {
  const file = (name: string, text: string) => join(folderOf({ [name]: text }), name);
  const numbers = '{"type": "array", "items": {"type": "number"}}';

  test.each([
    ['JSON', numbers],
    ['a file with JSON', file('numbers.json', `\uFEFF${numbers}\n`)],
    ['a file in the concise notation', file('people', '[name: the full name\n age int]\n')],
  ])('is %s', async (_name, schema) => {
    const good = schema === numbers || schema.endsWith('.json') ? '[1, 2.5]' : `[${right}]`;
    const words = ['--schema', schema, '--schema-retries', '0', 'which?'];
    expect(await askService([good], words)).toMatchObject({ code: 0, stdout: `${good}\n` });
    expect(await askService(['{}'], words)).toMatchObject({ code: 13, stdout: '' });
  });

  test.each([
    ['', '--schema is empty\n  without a file: --schema "name, age int"'],
    ['.', 'cannot read .: it is a folder'],
    [file('binary', 'a\0b'), 'binary is binary, not a schema'],
    ['{"type": "array"', '--schema is not JSON at line 1, column 17'],
    [file('line.json', '\n{\n "type": }'), 'line.json is not JSON at line 3, column 10'],
    ['missing.json', 'cannot read missing.json: there is no such file'],
    ['folder/missing', 'cannot read folder/missing: there is no such file'],
  ])('%s is refused before anything is sent', async (schema, problem) => {
    const { code, stderr, bodies } = await askService([right], ['--schema', schema, 'who?']);
    expect(stderr).toContain(problem);
    expect({ code, bodies }).toEqual({ code: 2, bodies: [] });
  });

  test('has a warning for a keyword that natter does not know', async () => {
    const schema = '{"type": "object", "requierd": ["name"]}';
    expect(await askService([right], ['--schema', schema, 'who?'])).toMatchObject({
      code: 0,
      stderr: 'natter: warning: not checked, because natter does not know it: requierd\n',
    });
  });
});

describe('response-format', () => {
  const answered = [...fields, '--response-format', 'json_schema', 'who?'];

  test('is a field of the request only if the setting or the option says so', async () => {
    const { bodies } = await askService([right], answered);
    const json_schema = { name: 'answer', strict: true, schema: { required: ['name', 'age'] } };
    expect(bodies[0]).toMatchObject({ response_format: { type: 'json_schema', json_schema } });
    const variable = { NATTER_RESPONSE_FORMAT: 'json_object' };
    const asked = await askService([right], [...fields, 'who?'], variable);
    expect(asked.bodies[0]).toMatchObject({ response_format: { type: 'json_object' } });
    const plain = await askService(['hi'], ['who?'], variable);
    expect(plain.bodies[0]).not.toHaveProperty('response_format');
  });

  test('that the service refuses has a hint', async () => {
    const result = await runInMemory(['--sandbox', ...answered]);
    expectFailure(result, 7, 'natter config set response-format none');
  });
});

test.each([
  [['--schema-retries', '2'], '--schema-retries needs --schema'],
  [[...fields, '--schema-retries', 'x'], '--schema-retries must be a whole number from 0 to 100'],
  [[...fields, '--every', '5l'], "option '--schema <schema>' cannot be used with option '--every"],
  [[...fields, '--markdown'], "option '--schema <schema>' cannot be used with option '--markdown'"],
])('%s is refused', async (words, problem) => {
  expectFailure(await runInMemory([...words, 'who?']), 2, problem);
});
test('the conversation has what was sent and received, and can be continued', async () => {
  const data = createDataFolder();
  const server = await serve([[streamed(wrong)], [streamed(right)], [streamed('fine')]]);
  const env = serviceAt(server, data.env);
  await runInMemory([...fields, 'who?'], { env });
  const texts = [...data.only().turns.values()].map(({ content }) => content);
  expect(texts).toEqual([instruction, wrong, correction, right]);
  await runInMemory(['-c', 'thanks'], { env });
  expect(server.bodies()[2]?.messages).toHaveLength(5);
});

test('an answer after an empty one is a version of it', async () => {
  const data = createDataFolder();
  const server = await serve([stream(finish('stop'), done), [streamed(right)]]);
  await runInMemory([...fields, 'who?'], { env: serviceAt(server, data.env) });
  const [prompt, empty, answer] = [...data.only().turns.values()];
  expect([prompt?.content, empty?.content, answer?.content]).toEqual([instruction, '', right]);
  expect(empty?.parent).toBe(answer?.parent);
});

describe('--select', () => {
  const list = '{"items": [{"name": "Ada", "size": 12345678901234567890}]}';
  const schema = ['--schema', 'items [name, size int]'];

  test.each([
    ['/items/0/name', 'Ada'],
    ['/items/0', '{"name": "Ada", "size": 12345678901234567890}'],
  ])('%j prints one value', async (pointer, value) => {
    const result = await askService([list], [...schema, '--select', pointer, 'who?']);
    expect(result).toMatchObject({ code: 0, stdout: `${value}\n`, stderr: '' });
  });

  test('without a value there, it is a mismatch, and the model is not asked again', async () => {
    const words = [...schema, '--select', '/items/1', 'who?'];
    const result = await askService([list, list], words);
    expect(result.bodies).toHaveLength(1);
    expectFailure(result, 13, 'natter: the answer has no value at /items/1\n', list);
  });

  test('without --schema, it reads any JSON answer, and sends the prompt alone', async () => {
    const words = ['--select', '/items/0/name', 'who?'];
    const found = await askService([`\`\`\`\n${list}\n\`\`\``], words);
    expect(found).toMatchObject({ code: 0, stdout: 'Ada\n' });
    expect(found.bodies[0]?.messages).toEqual([{ role: 'user', content: 'who?' }]);
    const none = await askService(['Ada', 'Ada'], words);
    expect(none.bodies).toHaveLength(1);
    expectFailure(none, 13, 'the answer is not JSON\n  --schema asks the model for JSON');
  });

  test('a text that is not a JSON Pointer is refused', async () => {
    const result = await askService([list], ['--select', 'items.0', 'who?']);
    expectFailure(result, 2, '--select must be a JSON Pointer such as /items/0/name');
  });
});

describe('--extract', () => {
  const two = 'one:\n\n```sh\nls\n```\n\ntwo:\n\n~~~\npwd\n~~~\n';

  test.each([
    [['-x', 'list', 'files'], 'ls\n', 'list files'],
    [['list', 'files', '-x', '2'], 'pwd\n', 'list files'],
    [['-x', 'last', 'words'], 'pwd\n', 'words'],
    [['-qx', '--plain', '3 files'], 'ls\n', '3 files'],
  ])('%j prints %j and sends %j', async (words, stdout, content) => {
    const result = await askService([two], words);
    expect(result).toMatchObject({ code: 0, stdout, stderr: '' });
    expect(result.bodies).toMatchObject([{ messages: [{ role: 'user', content }] }]);
  });

  test('exits with 13 without the block; the answer is on standard error', async () => {
    expectFailure(
      await askService(['Run \u001B[1mls'], ['-x', 'how?']),
      13,
      'natter: the received answer:\nRun ls\nnatter: the answer has no code block\n',
      '\n  ask for a code block in the prompt; -x last prints the last one of several\n',
    );
  });

  const cut = (text: string): Reply => [Buffer.concat(stream(delta(text)).slice(0, -1)), fin];
  const received = (text: string) => `natter: the received answer:\n${text}\n`;

  test('prints a block before the answer is complete; a cut answer has its own exit code', async () => {
    const printed = await runOn([cut(`${two}and`)], ['-x', 'hi']);
    expect(printed).toMatchObject({ code: 11, stdout: 'ls\n' });
    expect(printed.stderr).not.toContain('the received answer');
    const open = 'a\n```sh\nls\n``';
    expectFailure(await runOn([cut(open)], ['-x', 'hi']), 11, received(open));
    expectFailure(await runOn([cut(`${two}and`)], ['-x', 'last', 'hi']), 11, received(`${two}and`));
  });

  test('prints a block before the token limit, and not one that it cut', async () => {
    const atLimit = (text: string) => [Buffer.concat(stream(delta(text), finish('length'), done))];
    const stderr = 'natter: the answer reached the token limit (finish_reason length)\n';
    const printed = await runOn([atLimit(`${two}and`)], ['-x', 'hi']);
    expect(printed).toMatchObject({ code: 0, stdout: 'ls\n', stderr });
    expectFailure(await runOn([atLimit('a\n```sh\nls')], ['-x', 'hi']), 11, 'token limit');
  });

  test('a fence that arrives in pieces, and one at the end, close a block', async () => {
    const pieces = Array.from('a\n````\n```\nb\n````', (character) => character);
    const { code, stdout } = await runOn([[streamed(...pieces)]], ['-x', 'hi']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '```\nb\n' });
  });

  test('--json has the code and its language, or the error', async () => {
    const found = await askService([two], ['-x', '--json', 'hi']);
    expect(JSON.parse(found.stdout)).toMatchObject({ content: two, code: 'ls\n', language: 'sh' });
    expect(found.stdout).not.toContain('violations');
    const missing = await askService(['no'], ['-x', '--json', 'hi']);
    expect(missing.code).toBe(13);
    const error = { kind: 'mismatch', message: 'the answer has no code block' };
    expect(JSON.parse(missing.stdout)).toMatchObject({ content: 'no', code: null, error });
  });

  test('--jsonl has a last line with the code', async () => {
    const { stdout } = await askService([two], ['-x', '2', '--jsonl', 'hi']);
    const last = { type: 'answer-checked', code: 'pwd\n', language: null };
    expect(jsonLines(stdout).at(-1)).toEqual(last);
  });

  test('cannot be used where there is not one answer', async () => {
    const others = ['--raw', '--markdown', '--split=auto', '--every=2l', '--select=/a', '-i'];
    for (const other of [...others, '--schema=name']) {
      expectFailure(await runInMemory(['-x', other, 'hi']), 2, 'cannot be used with option');
    }
    const compared = await runInMemory(['compare', '-x', 'hi']);
    expectFailure(compared, 2, "unknown option '-x'\n  it is for one model: natter -x …");
  });
});

describe('an answer that is not a value', () => {
  test('is incomplete at the token limit, and is not requested again', async () => {
    const reply = [Buffer.concat(stream(delta('{"na'), finish('length'), done))];
    const result = await runOn([reply], [...fields, 'who?']);
    expect(result.server.requests).toHaveLength(1);
    const problem = 'it reached the token limit (finish_reason length)';
    expectFailure(result, 11, 'natter: the received answer:\n{"na\n', problem);
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
    expect(stdout).toMatch(/"violations":\[\],"value":\{"name":"Ada","age":12345678901234567890\}/);
    expect(JSON.parse(stdout)).not.toHaveProperty('checked_answers');
    expect(stderr).toBe('');
  });

  test('has each answer with its violations and tokens, and their sums', async () => {
    const words = ['--sandbox', ...fields, '--json', '[sandbox misfit] who?'];
    const { code, stdout } = await runInMemory(words);
    const document = JSON.parse(stdout) as Used & { readonly checked_answers: Used[] };
    expect(code).toBe(0);
    expect(document).toMatchObject({
      attempts: 2,
      violations: [],
      value: { name: 'sample', age: 1 },
      checked_answers: [
        { attempts: 1, violations: [{ path: '', message: 'must be object' }] },
        { attempts: 1, violations: [] },
      ],
    });
    const tokens = document.checked_answers.map((answer) => answer.usage.total_tokens);
    expect(document.usage.total_tokens).toBe(tokens.reduce((sum, one) => sum + one, 0));
  });

  test('has the sums in the order of the tokens of one answer', async () => {
    const details = { prompt_tokens: 2, prompt_tokens_details: { cached_tokens: 1 } };
    const first = answering(wrong, { prompt_tokens: 1, total_tokens: 4 });
    const replies = [[first], [answering(right, { ...details, total_tokens: 5 })]];
    const { stdout } = await runOn(replies, [...fields, '--json', 'who?']);
    expect(stdout).toContain('{"prompt_tokens":3,"cached_tokens":1,"total_tokens":9}');
  });

  test('has the violations, the content and no value after a mismatch', async () => {
    const words = [...fields, '--json', '--schema-retries', '0', 'who?'];
    const { code, stdout, stderr } = await askService([wrong], words);
    const document = JSON.parse(stdout) as object;
    const violations = [{ path: '/age', message: 'must be integer' }];
    expect(document).toMatchObject({ content: wrong, violations, error: { kind: 'mismatch' } });
    expect(document).not.toHaveProperty('value');
    expect(JSON.parse(stderr)).toMatchObject({ error: { kind: 'mismatch' } });
    expect(code).toBe(13);
  });

  test('--jsonl ends with the value, or with the failure', async () => {
    const words = [...fields, '--jsonl', '--schema-retries', '0', 'who?'];
    const good = jsonLines((await askService([right], words)).stdout);
    const value = { name: 'Ada', age: 36 };
    expect(good.at(-1)).toEqual({ type: 'answer-checked', violations: [], value });
    const bad = jsonLines((await askService([wrong], words)).stdout);
    expect(bad.at(-2)).toMatchObject({ type: 'answer-checked', violations: [{ path: '/age' }] });
    expect(bad.at(-1)).toMatchObject({ type: 'answer-failed', error: { kind: 'mismatch' } });
  });
});
