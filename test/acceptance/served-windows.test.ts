import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { serviceAt } from '../support/natter.ts';
import { json, streamed } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';

const words = (tokens: number) => 'word '.repeat((tokens * 4) / 5);

/** A service that first lists these models, then answers, and a state folder for natter. */
async function serviceWith(models: readonly object[]) {
  const server = await serve([[json(200, { data: models })], [streamed('Hello')]]);
  const state = mkdtempSync(join(tmpdir(), 'natter-state-'));
  const env = { ...serviceAt(server), NATTER_STATE_DIR: state };
  const file = join(state, 'models.json');
  return { server, env, file, run: (line: readonly string[]) => runInMemory(line, { env }) };
}

const local = [
  { id: 'small', context_length: 4000 },
  { id: 'large', max_model_len: 32_000 },
];

test('Y31: a window from models list is used for the warning of a later prompt', async () => {
  const { run, server } = await serviceWith(local);
  expect((await run(['-m', 'small', '--dry-run', words(5000)])).stderr).toBe('');
  expect(await run(['models', 'list'])).toMatchObject({ code: 0 });
  const { code, stderr } = await run(['-m', 'small', words(5000)]);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /~5,\d+ tokens, over small's window of 4,000; -m large has a larger window/,
  );
  expect(server.requests).toHaveLength(2);
});

test('Y31: a window from models get is used too', async () => {
  const server = await serve([[json(200, { id: 'small', context_length: 4000 })]]);
  const env = {
    ...serviceAt(server),
    NATTER_STATE_DIR: mkdtempSync(join(tmpdir(), 'natter-state-')),
  };
  await runInMemory(['models', 'get', 'small'], { env });
  const { stdout } = await runInMemory(['-m', 'small', '--dry-run', 'hi'], { env });
  expect(JSON.parse(stdout)).toMatchObject({ estimate: { window: 4000 } });
});

test('Y31: --model auto uses the windows of the service', async () => {
  const { run } = await serviceWith([
    { id: 'origin', context_window: 8000 },
    { id: 'nextgen', context_window: 64_000 },
  ]);
  const model = async () => {
    const { stdout } = await run(['-m', 'auto', '--dry-run', words(20_000)]);
    return (JSON.parse(stdout) as { request: { body: { model: string } } }).request.body.model;
  };
  expect(await model()).toBe('origin');
  await run(['models', 'list']);
  expect(await model()).toBe('nextgen');
});

test('Y31: the stored windows are private, contain no text, and apply only to their address', async () => {
  const { run, file, server } = await serviceWith(local);
  await run(['models', 'list']);
  const address = server.url;
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    [address]: { small: 4000, large: 32_000 },
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const other = ['-m', 'small', '--dry-run', '--base-url', 'https://other.test', 'hi'];
  expect(JSON.parse((await run(other)).stdout)).toMatchObject({ estimate: { window: null } });
});

test('Y31: no windows are stored if saving is off', async () => {
  const { env, file } = await serviceWith(local);
  const result = await runInMemory(['models', 'list'], { env: { ...env, NATTER_SAVE: 'false' } });
  expect(result.code).toBe(0);
  expect(() => statSync(file)).toThrow('ENOENT');
});

test.each(['', '[', '{"x":1}', 'null', '{"http://127.0.0.1:1":{"small":"4000","large":-1}}'])(
  'Y31: an invalid file (%j) is ignored',
  async (content) => {
    const state = mkdtempSync(join(tmpdir(), 'natter-state-'));
    writeFileSync(join(state, 'models.json'), content);
    const env = { NATTER_BASE_URL: 'http://127.0.0.1:1', NATTER_STATE_DIR: state };
    const { code, stdout, stderr } = await runInMemory(['-m', 'small', '--dry-run', 'hi'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ estimate: { window: null } });
  },
);

test('the setting window overrides the window of the service and of the catalogue', async () => {
  const { env, run } = await serviceWith(local);
  await run(['models', 'list']);
  const windowOf = async (model: string, variables = {}) => {
    const line = ['-m', model, '--dry-run', 'hi'];
    const { stdout } = await runInMemory(line, { env: { ...env, ...variables } });
    return (JSON.parse(stdout) as { estimate: { window: number } }).estimate.window;
  };
  expect(await windowOf('small')).toBe(4000);
  expect(await windowOf('small', { NATTER_WINDOW: '9000' })).toBe(9000);
  expect(await windowOf('unknown', { NATTER_WINDOW: '9000' })).toBe(9000);
  expect(await windowOf('origin', { NATTER_WINDOW: '9000' })).toBe(9000);
});

test('a prompt over the window of the setting has the warning, without another model', async () => {
  const { env } = await serviceWith(local);
  const server = await serve([[streamed('Hello')]]);
  const line = ['-m', 'mine', 'word '.repeat(4000)];
  const variables = { ...env, NATTER_BASE_URL: server.url, NATTER_WINDOW: '4000' };
  const { stderr } = await runInMemory(line, { env: variables });
  expect(stderr).toMatch(
    /~5,\d+ tokens, over mine's window of 4,000; --split auto sends it in pieces\n$/,
  );
});
