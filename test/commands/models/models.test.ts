import { expect, test } from 'vitest';
import { expectFailure, runInContext, runInMemory } from '../../support/in-memory.ts';
import { json } from '../../support/raw-replies.ts';
import { runOn, serve } from '../../support/serve.ts';

const known = { id: 'origin', context_window: 200_000, owner: 'someone' };
const unlisted = { id: 'other', description: 'of somebody else' };

/** Runs a command line with a service that gives these replies, each a status and a body. */
const runWith = (replies: readonly (readonly [number, unknown])[], ...words: readonly string[]) =>
  runOn(
    replies.map(([status, body]) => [json(status, body)]),
    ['models', ...words],
  );

test.each([
  [
    ['list'],
    [known, unlisted],
    'origin\t200000\t18\tfastest, most responsive model\nother\t\t\tof somebody else\n',
  ],
  [
    ['get', 'origin'],
    { ...known, tags: ['a', 'b'] },
    'id\torigin\ncontext window\t200000\nlatency\t18\npurpose\tfastest, most responsive model\nowner\tsomeone\ntags\t["a","b"]\n',
  ],
])('natter models %j prints its rows', async (words, body, stdout) => {
  expect(await runWith([[200, body]], ...words)).toMatchObject({ stdout, stderr: '' });
});

test('--json has the record, and names the fields added from the catalogue', async () => {
  const { stdout } = await runWith([[200, { data: [known] }]], 'list', '--json');
  expect(JSON.parse(stdout)).toEqual([
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

test('an unknown id has exit code 6 and a hint with the existing ids', async () => {
  const result = await runInMemory(['models', 'get', 'nope', '--sandbox']);
  expectFailure(result, 6, '(404)', '\n  the models are origin, nextgen\n');
});

test('if a server has no endpoint for single models, natter uses its list', async () => {
  const replies = [
    [404, {}],
    [200, { data: [known, { ...unlisted, root: 'other' }] }],
  ] as const;
  const { stdout, server } = await runWith(replies, 'get', 'other');
  expect(stdout).toBe('id\tother\npurpose\tof somebody else\nroot\tother\n');
  expect(server.requests.map(({ path }) => path)).toEqual(['/v1/models/other', '/v1/models']);
});

test('an empty list is reported, and one of unknown shape is a failure of the service', async () => {
  expect(await runWith([[200, { data: [] }]], 'list')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'natter: the service lists no models\n',
  });
  expect(await runWith([[200, { models: 5 }]], 'list')).toMatchObject({ code: 9 });
});

test('fields of a record cannot control the terminal or add lines', async () => {
  const hostile = { id: 'x\u001B[2J', note: 'a\u001B]0;t\u0007\nb' };
  const list = await runWith([[200, [hostile]]], 'list');
  const one = await runWith([[200, hostile]], 'get', 'x');
  expect(list.stdout + one.stdout).not.toMatch(/[\u001B\u0007]/);
  expect(list.stdout.trimEnd().split('\n')).toHaveLength(1);
});

const foreign = { id: 'Other/Large', description: 'of another vendor', owner: 'acme' };
const listed = [{ id: 'origin' }, { id: 'nextgen' }, foreign];
const search = (...words: readonly string[]) => runWith([[200, listed]], 'search', ...words);

test.each([
  ['an id', 'other/l', ['Other/Large']],
  ['a purpose', 'VENDOR', ['Other/Large']],
  ['a purpose from the catalogue', 'most', ['origin', 'nextgen']],
  ['a window as a pipe shows it', '1000000', ['nextgen']],
  ['a window as a terminal shows it', '1,000,000', ['nextgen']],
  ['a latency', '18 ms', ['origin']],
])('a model is found by %s', async (_, text, ids) => {
  const { stdout, stderr } = await search(text, '--json');
  expect((JSON.parse(stdout) as { id: string }[]).map(({ id }) => id)).toEqual(ids);
  expect(stderr).toBe('');
});

test.each([
  ['nowhere', 6, 'no match for "nowhere" in 3 models\n  natter models list shows the available'],
  // The list does not show the owner.
  ['acme', 6, 'no match for "acme"'],
  ['', 2, 'the search text is empty'],
])('a search for %j finds nothing', async (text, code, message) => {
  expectFailure(await search(text), code, message);
});

test('if the service lists no models, the hint of a search says so', async () => {
  const result = await runWith([[200, { data: [] }]], 'search', 'any');
  expectFailure(result, 6, 'no match for "any" in 0 models\n  the service lists no models');
});

test('on a terminal, the hits are a table as in models list', async () => {
  const { url } = await serve([[json(200, listed)]]);
  const words = ['models', 'search', 'advanced', '--color', 'never'];
  const options = { environment: { NATTER_BASE_URL: url }, terminals: ['stdout'] } as const;
  const { stdout, stderr } = await runInContext(words, options);
  expect(stdout).toBe(
    'ID          CONTEXT  LATENCY  PURPOSE\nnextgen  1,000,000*   20 ms*  most advanced model*\n',
  );
  expect(stderr).toContain('* taken from the published catalogue');
});
