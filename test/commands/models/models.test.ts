import { expect, test } from 'vitest';
import { runProgram } from '../../../src/cli/program.ts';
import { expectFailure, runInMemory } from '../../support/in-memory.ts';
import { createMemoryContext, type MemoryOptions } from '../../support/memory-context.ts';
import { json } from '../../support/raw-replies.ts';
import { serve } from '../../support/serve.ts';

const known = { id: 'origin', context_window: 200_000, owner: 'someone' };

const unlisted = { id: 'other', description: 'of somebody else' };

test('a model is a row with its window, latency and purpose', async () => {
  const server = await serve([[json(200, [known, unlisted])]]);
  const env = { NATTER_BASE_URL: server.url };
  expect((await runInMemory(['models', 'list'], { env })).stdout).toBe(
    'origin\t200000\t18\tfastest, most responsive model\nother\t\t\tof somebody else\n',
  );
});

test('a pipe gets no marks, heading or notice', async () => {
  expect(await runInMemory(['models', '--sandbox'])).toMatchObject({
    stdout:
      'origin\t128000\t18\tfastest, most responsive model\nnextgen\t1000000\t20\tmost advanced model\n',
    stderr: '',
  });
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

test('an unknown id has exit code 6 and a hint with the existing ids', async () => {
  const result = await runInMemory(['models', 'get', 'nope', '--sandbox']);
  expectFailure(result, 6, '(404)', '\n  the models are origin, nextgen\n');
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

const published = [{ id: 'origin' }, { id: 'nextgen' }];
const foreign = { id: 'Other/Large', description: 'of another vendor', owner: 'acme' };

/** Searches the models of a service. @returns the output */
async function search(
  words: readonly string[],
  options: MemoryOptions = {},
  models: readonly object[] = [...published, foreign],
) {
  const server = await serve([[json(200, { data: models })]]);
  const environment = { NATTER_BASE_URL: server.url };
  const memory = createMemoryContext({ ...options, environment });
  await runProgram(memory.context, ['models', 'search', ...words]);
  return { stdout: memory.stdout(), stderr: memory.stderr() };
}

test.each([
  ['an id', 'other/l', ['Other/Large']],
  ['a purpose', 'VENDOR', ['Other/Large']],
  ['a purpose from the catalogue', 'most', ['origin', 'nextgen']],
  ['a window as a pipe shows it', '1000000', ['nextgen']],
  ['a window as a terminal shows it', '1,000,000', ['nextgen']],
  ['a latency', '18 ms', ['origin']],
])('a model is found by %s', async (_, text, ids) => {
  const { stdout, stderr } = await search([text, '--json']);
  expect((JSON.parse(stdout) as { id: string }[]).map(({ id }) => id)).toEqual(ids);
  expect(stderr).toBe('');
});

test('fields that the list does not show are not searched', async () => {
  await expect(search(['acme'])).rejects.toMatchObject({ kind: 'not_found' });
});

test('on a terminal, the hits are a table as in models list', async () => {
  const { stdout, stderr } = await search(['advanced', '--color', 'never'], {
    terminals: ['stdout'],
  });
  expect(stdout).toBe(
    [
      'ID          CONTEXT  LATENCY  PURPOSE',
      'nextgen  1,000,000*   20 ms*  most advanced model*',
      '',
    ].join('\n'),
  );
  expect(stderr).toContain('* taken from the published catalogue');
});

test('a text without a hit is not_found, and nothing is printed', async () => {
  await expect(search(['nowhere'])).rejects.toMatchObject({
    kind: 'not_found',
    message: 'no match for "nowhere" in 3 models',
    hint: 'natter models list shows the available models',
  });
});

test('if the service lists no models, the hint says so', async () => {
  await expect(search(['any'], {}, [])).rejects.toMatchObject({
    kind: 'not_found',
    message: 'no match for "any" in 0 models',
    hint: 'the service lists no models',
  });
});

test('an empty text is a usage failure', async () => {
  await expect(search([''])).rejects.toMatchObject({
    kind: 'usage',
    message: 'the search text is empty',
  });
});
