import { expect, test } from 'vitest';
import { runInMemory } from '../../support/in-memory.ts';
import { json } from '../../support/raw-replies.ts';
import { serve } from '../../support/serve.ts';

const known = { id: 'origin', context_window: 200_000, owner: 'someone' };

const unlisted = { id: 'other', description: 'of somebody else' };

test.each([
  ['an array', [known, unlisted]],
  ['{data}', { object: 'list', data: [known, unlisted] }],
  ['{models}', { models: [known, unlisted] }],
])('the list of models is read from %s', async (_, body) => {
  const server = await serve([[json(200, body)]]);
  const env = { NATTER_BASE_URL: server.url };
  expect((await runInMemory(['models', 'list'], { env })).stdout).toBe(
    'origin\t200000\t18\tfastest, most responsive model\nother\t\t\tof somebody else\n',
  );
});

test('a pipe gets no marks, heading or notice', async () => {
  const { stdout, stderr } = await runInMemory(['models', '--sandbox']);
  expect(stdout).toBe(
    'origin\t128000\t18\tfastest, most responsive model\nnextgen\t1000000\t20\tmost advanced model\n',
  );
  expect(stderr).toBe('');
});

test('--json has the record, and names the fields added from the catalogue', async () => {
  const server = await serve([[json(200, { data: [known] })]]);
  const env = { NATTER_BASE_URL: server.url };
  expect(JSON.parse((await runInMemory(['models', 'list', '--json'], { env })).stdout)).toEqual([
    {
      id: 'origin',
      context_window: 200_000,
      latency_ms: 18,
      purpose: 'fastest, most responsive model',
      from_catalogue: ['latency_ms', 'purpose'],
      record: known,
    },
  ]);
});

test('models search lists the models that contain a text', async () => {
  const { code, stdout } = await runInMemory(['models', 'search', 'ADVANCED', '--sandbox']);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'nextgen\t1000000\t20\tmost advanced model\n',
  });
});

test('models get shows one model with all fields of the service', async () => {
  const server = await serve([[json(200, { ...known, tags: ['a', 'b'] })]]);
  const env = { NATTER_BASE_URL: server.url };
  expect((await runInMemory(['models', 'get', 'origin'], { env })).stdout).toBe(
    [
      'id\torigin',
      'context window\t200000',
      'latency\t18',
      'purpose\tfastest, most responsive model',
      'owner\tsomeone',
      'tags\t["a","b"]',
      '',
    ].join('\n'),
  );
  expect(server.requests[0]?.path).toBe('/v1/models/origin');
});

test('a record without an id gets the requested id', async () => {
  const server = await serve([[json(200, { context_window: 5 })]]);
  const env = { NATTER_BASE_URL: server.url };
  const { stdout } = await runInMemory(['models', 'get', 'tiny'], { env });
  expect(stdout).toBe('id\ttiny\ncontext window\t5\n');
});

test('an id is always one segment of the path', async () => {
  const server = await serve([[json(200, { id: 'a/b c?' })]]);
  const env = { NATTER_BASE_URL: server.url };
  await runInMemory(['models', 'get', 'a/b c?'], { env });
  expect(server.requests[0]?.path).toBe('/v1/models/a%2Fb%20c%3F');
});

test('an unknown id has exit code 6 and a hint with the existing ids', async () => {
  const { code, stdout, stderr } = await runInMemory(['models', 'get', 'nope', '--sandbox']);
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  expect(stderr).toContain('(404)');
  expect(stderr).toContain('\n  the models are origin, nextgen\n');
});

test('an unknown id with --json is one JSON line on standard error', async () => {
  const { stdout, stderr } = await runInMemory(['models', 'get', 'nope', '--sandbox', '--json']);
  expect(stdout).toBe('');
  expect(JSON.parse(stderr)).toMatchObject({
    error: { kind: 'not_found', status: 404, hint: 'the models are origin, nextgen' },
  });
});

test('if a server has no endpoint for single models, natter uses its list', async () => {
  const server = await serve([[json(404, {})], [json(200, { data: [known, unlisted] })]]);
  const env = { NATTER_BASE_URL: server.url };
  const { code, stdout } = await runInMemory(['models', 'get', 'other'], { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'id\tother\npurpose\tof somebody else\n' });
  expect(server.requests.map(({ path }) => path)).toEqual(['/v1/models/other', '/v1/models']);
});

test('an empty list is reported, and nothing is printed', async () => {
  const server = await serve([[json(200, { data: [] })]]);
  const env = { NATTER_BASE_URL: server.url };
  expect(await runInMemory(['models', 'list'], { env })).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'natter: the service lists no models\n',
  });
});

test('a list of unknown shape is a failure of the service', async () => {
  const server = await serve([[json(200, { models: 5 })]]);
  const { code } = await runInMemory(['models', 'list'], { env: { NATTER_BASE_URL: server.url } });
  expect(code).toBe(9);
});

test('fields of a record cannot control the terminal or add lines', async () => {
  const hostile = { id: 'x\u001B[2J', note: 'a\u001B]0;t\u0007\nb' };
  const server = await serve([[json(200, [hostile])], [json(200, hostile)]]);
  const env = { NATTER_BASE_URL: server.url };
  const list = await runInMemory(['models', 'list'], { env });
  const one = await runInMemory(['models', 'get', 'x'], { env });
  expect(list.stdout).not.toContain('\u001B');
  expect(one.stdout).not.toMatch(/[\u001B\u0007]/);
  expect(list.stdout.trimEnd().split('\n')).toHaveLength(1);
});
