import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { askService } from '../support/ask-service.ts';
import { createDataFolder } from '../support/data-folder.ts';
import { runNatter, serviceAt } from '../support/natter.ts';
import { done, finish, stream, streamed } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';

const fields = ['--schema', 'name, age int'];
const right = '{"name": "Ada",\n "age": 36}';
const wrong = '{"name": "Ada", "age": "36"}';

const instruction = `who?

Answer with one JSON value that conforms to the JSON Schema below. Write only the JSON: no code fence and no other text.

{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"],"additionalProperties":false}`;

const correction = `Your answer does not conform to the JSON Schema:

- /age must be an integer

Answer again with one JSON value that conforms to it. Write only the JSON: no code fence and no other text.`;

test('docs/json.md shows what is sent', async () => {
  const guide = readFileSync('docs/json.md', 'utf8');
  const { stdout } = await runNatter(['--schema', 'name', '--dry-run', 'invent a person']);
  const { request } = JSON.parse(stdout) as {
    request: { body: { messages: [{ content: string }] } };
  };
  for (const text of [request.body.messages[0].content, correction]) {
    expect(guide).toContain(`\n${text}\n\`\`\``);
  }
});

describe('--schema', () => {
  test('prints the value as the model wrote it, and a line end', async () => {
    const { code, stdout, stderr, bodies } = await askService([right], [...fields, 'who?']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${right}\n`, stderr: '' });
    expect(bodies).toEqual([
      { model: 'origin', messages: [{ role: 'user', content: instruction }], stream: true },
    ]);
  });

  test('strips a single code fence, also one that arrives in pieces', async () => {
    const server = await serve([[streamed('``', '`json\n', right, '\n```', '\n')]]);
    const { stdout } = await runNatter([...fields, 'who?'], { env: serviceAt(server) });
    expect(stdout).toBe(`${right}\n`);
  });

  test('asks once more with the violations, and prints only the answer that conforms', async () => {
    const { code, stdout, stderr, bodies } = await askService([wrong, right], [...fields, 'who?']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${right}\n` });
    expect(stderr).toBe(
      'natter: the answer does not match the schema: /age must be an integer; asking again (1 of 1)\n',
    );
    expect(bodies[1]?.messages).toEqual([
      { role: 'user', content: instruction },
      { role: 'assistant', content: wrong },
      { role: 'user', content: correction },
    ]);
  });

  test('exits with 13 if no answer conforms; the last one is on standard error', async () => {
    const { code, stdout, stderr } = await askService(
      ['no', wrong, right],
      [...fields, '-q', 'who?'],
    );
    expect({ code, stdout }).toEqual({ code: 13, stdout: '' });
    expect(stderr).toBe(
      [
        'natter: the received answer:',
        wrong,
        'natter: the answer does not match the schema: /age must be an integer',
        '  --json shows all violations; --schema-retries asks again more often\n',
      ].join('\n'),
    );
  });

  test('--schema-retries limits how often the model is asked again', async () => {
    const never = await askService([wrong, right], [...fields, '--schema-retries', '0', 'who?']);
    expect(never).toMatchObject({ code: 13, bodies: [{}] });
    const twice = await askService(
      ['no', wrong, right],
      [...fields, '--schema-retries', '2', 'who?'],
    );
    expect(twice).toMatchObject({ code: 0, stdout: `${right}\n` });
  });

  test('an empty answer is requested again with the same messages', async () => {
    const { code, stderr, bodies } = await askService(['', right], [...fields, 'who?']);
    expect(code).toBe(0);
    expect(stderr).toContain('the answer is empty; asking again (1 of 1)');
    expect(bodies[1]).toEqual(bodies[0]);
  });

  test('control characters of the answer do not reach standard error', async () => {
    const { stderr } = await askService(
      ['{"name": "\u001B[31mred"}'],
      [...fields, '--schema-retries', '0', 'who?'],
    );
    expect(stderr).not.toContain('\u001B');
    expect(stderr).toContain('red');
  });
});

describe('the schema', () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-schema-'));
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
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
    ['{"type": "objekt"}', '--schema is not a JSON Schema: /type must be one of'],
    ['name, age itn', '--schema: unknown type "itn" of the field "age"'],
    ['missing.json', 'cannot read missing.json: there is no such file'],
    ['folder/missing', 'cannot read folder/missing: there is no such file'],
    [file('bad.json', '{"$ref": "https://example.com/a.json"}'), 'refers to https://example.com'],
  ])('%s is refused before anything is sent', async (schema, problem) => {
    const { code, stderr, bodies } = await askService([right], ['--schema', schema, 'who?']);
    expect(stderr).toContain(problem);
    expect({ code, bodies }).toEqual({ code: 2, bodies: [] });
  });

  test('has a warning for a keyword that natter does not know', async () => {
    const schema = '{"type": "object", "requierd": ["name"]}';
    const { code, stderr } = await askService([right], ['--schema', schema, 'who?']);
    expect(stderr).toBe(
      'natter: warning: not checked, because natter does not know it: requierd\n',
    );
    expect(code).toBe(0);
  });
});

describe('response-format', () => {
  const answered = [...fields, '--response-format', 'json_schema', 'who?'];

  test('is a field of the request only if the setting or the option says so', async () => {
    const { bodies } = await askService([right], answered);
    expect(bodies[0]).toMatchObject({
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', strict: true, schema: { required: ['name', 'age'] } },
      },
    });
    const variable = { NATTER_RESPONSE_FORMAT: 'json_object' };
    const asked = await askService([right], [...fields, 'who?'], variable);
    expect(asked.bodies[0]).toMatchObject({ response_format: { type: 'json_object' } });
    const plain = await askService(['hi'], ['who?'], variable);
    expect(plain.bodies[0]).not.toHaveProperty('response_format');
  });

  test('that the service refuses has a hint', async () => {
    const { code, stderr } = await runNatter(['--sandbox', ...answered]);
    expect(stderr).toContain('natter config set response-format none');
    expect(code).toBe(7);
  });

  test('must be a known word', async () => {
    const words = ['--sandbox', ...fields, '--response-format', 'xml', 'who?'];
    const { code, stderr } = await runNatter(words);
    expect(stderr).toContain('--response-format must be none, json_object or json_schema');
    expect(code).toBe(2);
  });
});

test('--dry-run shows the prompt with the schema, and the field', async () => {
  const words = [...fields, '--response-format', 'json_object', '--dry-run', 'who?'];
  const { stdout } = await runNatter(words);
  expect(JSON.parse(stdout)).toMatchObject({
    request: {
      body: {
        messages: [{ role: 'user', content: instruction }],
        response_format: { type: 'json_object' },
      },
    },
  });
});

test.each([
  [['--schema-retries', '2'], '--schema-retries needs --schema'],
  [[...fields, '--schema-retries', 'x'], '--schema-retries must be a whole number from 0 to 100'],
  [[...fields, '--every', '5l'], "option '--schema <schema>' cannot be used with option '--every"],
  [[...fields, '--markdown'], "option '--schema <schema>' cannot be used with option '--markdown'"],
])('%s is refused', async (words, problem) => {
  const { code, stderr } = await runNatter([...words, 'who?']);
  expect(stderr).toContain(problem);
  expect(code).toBe(2);
});
test('the conversation has what was sent and received, and can be continued', async () => {
  const data = createDataFolder();
  const server = await serve([[streamed(wrong)], [streamed(right)], [streamed('fine')]]);
  const env = serviceAt(server, data.env);
  await runNatter([...fields, 'who?'], { env });
  const texts = [...data.only().turns.values()].map(({ role, content }) => [role, content]);
  expect(texts).toEqual([
    ['user', instruction],
    ['assistant', wrong],
    ['user', correction],
    ['assistant', right],
  ]);
  await runNatter(['-c', 'thanks'], { env });
  const { messages } = JSON.parse(server.requests[2]?.body ?? '') as { messages: object[] };
  expect(messages).toHaveLength(5);
});

test('an answer after an empty one is a version of it', async () => {
  const data = createDataFolder();
  const server = await serve([stream(finish('stop'), done), [streamed(right)]]);
  await runNatter([...fields, 'who?'], { env: serviceAt(server, data.env) });
  const turns = [...data.only().turns.values()];
  expect(turns.map(({ role, content }) => [role, content])).toEqual([
    ['user', instruction],
    ['assistant', ''],
    ['assistant', right],
  ]);
  expect(turns[1]?.parent).toBe(turns[2]?.parent);
});

test('natter run checks the answer to a prompt file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-schema-'));
  const path = join(folder, 'who.md');
  writeFileSync(path, 'who?');
  const { code, stdout, bodies } = await askService([wrong, right], ['run', path, ...fields]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${right}\n` });
  expect(bodies[0]?.messages).toEqual([{ role: 'user', content: instruction }]);
});
