import { describe, expect, test } from 'vitest';
import { folderOf } from '../../support/folder.ts';
import { expectFailure, runInMemory } from '../../support/in-memory.ts';
import { jsonLines, serviceAt, temporaryHome } from '../../support/natter.ts';
import { twoProfiles } from '../../support/profiles.ts';
import { chunk, delta, json, response, streamed, streamHead } from '../../support/raw-replies.ts';
import { fin, type RawServer, type Reply } from '../../support/raw-server.ts';
import { runOn, serve } from '../../support/serve.ts';

const failed: Reply = [response(500)];

const busy: Reply = [response(429, { 'retry-after': '0' })];

const answered: Reply = [streamed('ok')];

const noRetries = { NATTER_RETRIES: '0' };

/** What is reported about an answer of the second model. */
const fallbackFrom = [{ model: 'origin', profile: 'default', reason: 'server_error' }];
const second = { model: 'nextgen', profile: 'default', fallbackFrom };

const modelsIn = (server: RawServer) => server.bodies().map(({ model }) => model);

/** Runs natter with one service. */
async function ask(replies: readonly Reply[], words: readonly string[], input = '') {
  const run = await runOn(replies, words, { env: noRetries, input });
  return { ...run, models: modelsIn(run.server) };
}

describe('--fallback', () => {
  test('asks the next model after a failure, and reports it on standard error', async () => {
    const words = ['--fallback', 'nextgen', 'hi'];
    expect(await ask([failed, answered], words)).toMatchObject({
      code: 0,
      stdout: 'ok\n',
      stderr: 'natter: warning: origin: the service failed (500); falling back to nextgen\n',
      models: ['origin', 'nextgen'],
    });
  });

  test('asks the next model if the first one fails after a mismatch', async () => {
    const replies = [[streamed('{"age":"x"}')], failed, [streamed('{"age":3}')]];
    const words = ['--jsonl', '--schema', 'age int', '--fallback', 'nextgen', 'hi'];
    const { code, stdout, models, server } = await ask(replies, words);
    expect({ code, models }).toEqual({ code: 0, models: ['origin', 'origin', 'nextgen'] });
    const [, correction, repeated] = server.bodies();
    expect(repeated?.messages).toEqual(correction?.messages);
    expect(stdout).toContain('{"type":"fallback-started","model":"nextgen"');
  });

  test('is a setting and a variable', async () => {
    const server = await serve([failed, answered, failed, answered]);
    const env = { ...serviceAt(server, noRetries), HOME: temporaryHome() };
    await runInMemory(['hi'], { env: { ...env, NATTER_FALLBACK: 'nextgen' } });
    await runInMemory(['config', 'set', 'fallback', ' nextgen, llama3:8b '], { env });
    const { stdout } = await runInMemory(['config', 'get', 'fallback'], { env });
    expect(stdout).toBe('nextgen,llama3:8b\n');
    expect((await runInMemory(['hi'], { env })).code).toBe(0);
    expect(modelsIn(server)).toEqual(['origin', 'nextgen', 'origin', 'nextgen']);
  });

  test('waits until the retries are used up', async () => {
    const words = ['-q', '--fallback', 'nextgen', 'hi'];
    const env = { NATTER_RETRIES: '1' };
    const { code, stderr, server } = await runOn([busy, busy, answered], words, { env });
    expect(code).toBe(0);
    expect(modelsIn(server)).toEqual(['origin', 'origin', 'nextgen']);
    expect(stderr).toContain('(2 attempts); falling back to nextgen');
  });

  test('--jsonl has an event for each step', async () => {
    const { stdout } = await ask([failed, answered], ['--jsonl', '--fallback', 'nextgen', 'hi']);
    const records = jsonLines(stdout) as { readonly type: string }[];
    const types = records.map(({ type }) => type.replace('answer-', ''));
    expect(types).toEqual(['fallback-started', 'started', 'named', 'text-received', 'finished']);
    expect(records[0]).toEqual({ type: 'fallback-started', ...second });
  });

  test('the conversation has the profile and the models before, and keeps its model', async () => {
    const server = await serve([failed, answered, answered]);
    const env = { ...serviceAt(server, noRetries), HOME: temporaryHome() };
    await runInMemory(['--fallback', 'nextgen', 'hi'], { env });
    const words = ['conversations', 'export', 'latest', '--format', 'json'];
    const shown = await runInMemory(words, { env });
    const { turns } = JSON.parse(shown.stdout) as { readonly turns: readonly object[] };
    expect(turns[1]).toMatchObject({ content: 'ok', ...second });
    await runInMemory(['-c', 'and?'], { env });
    expect(modelsIn(server)).toEqual(['origin', 'nextgen', 'origin']);
  });

  test('a prompt that does not fit is sent only to the next model', async () => {
    const words = ['--fallback', 'nextgen', '--no-save', 'count'];
    const { code, stderr, models } = await ask([answered], words, 'x '.repeat(300_000));
    expect({ code, models }).toEqual({ code: 0, models: ['nextgen'] });
    expect(stderr).toBe(
      "natter: warning: origin: ~150,006 tokens do not fit origin's window of 128,000; falling back to nextgen\n",
    );
  });

  test('a prompt that the service finds too long is sent to the next model', async () => {
    const refusal = { error: { message: "This model's maximum context length is 8192 tokens." } };
    const words = ['--fallback', 'nextgen', 'hi'];
    const { code, models } = await ask([[json(400, refusal)], answered], words);
    expect({ code, models }).toEqual({ code: 0, models: ['origin', 'nextgen'] });
  });

  test.each<[string, Reply, number]>([
    ['a refused key', [response(401)], 4],
    ['an invalid request', [response(400)], 7],
    ['an unknown model', [response(404)], 6],
    ['text that was received', [streamHead(), chunk(delta('par')), fin], 11],
  ])('does not follow %s', async (_name, reply, expected) => {
    const { code, models } = await ask([reply, answered], ['--fallback', 'nextgen', 'hi']);
    expect({ code, models }).toEqual({ code: expected, models: ['origin'] });
  });

  test('the failures of the first and the last model are reported, with the exit code of the last', async () => {
    const words = ['--fallback', 'nextgen,llama3', 'hi'];
    expectFailure(
      await ask([failed, failed, busy], words),
      8,
      'natter: llama3: rate limited by the service (429); before that, origin: the service failed (500)\n',
    );
  });

  test.each([['a b'], [''], ['nextgen,,x']])('%j is refused', async (value) => {
    const result = await runInMemory(['--sandbox', '--fallback', value, 'hi']);
    expectFailure(result, 2, '--fallback must be models separated by commas');
  });
});

describe('--fallback to a different profile', () => {
  test('uses its own address, key and parameters, and never the first key', async () => {
    const { work, home, env, run } = await twoProfiles([failed], [answered]);
    await run('config', 'set', 'model', 'llama3', '--profile', 'home');
    await run('config', 'set', 'params.top_k', '5', '--profile', 'home');
    await run('config', 'set', 'params.seed', '1', '--profile', 'work');
    const words = ['--profile', 'work', '--fallback', 'home:', '--json', 'hi'];
    const { code, stdout } = await runInMemory(words, { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ model: 'llama3', profile: 'home' });
    expect(work.requests[0]?.headers['authorization']).toBe('Bearer nk-work');
    expect(home.requests[0]?.headers['authorization']).toBe('Bearer nk-home');
    const messages = [{ role: 'user', content: 'hi' }];
    const body = { model: 'llama3', messages, stream: true, top_k: 5 };
    expect(home.bodies()).toEqual([body]);
    expect(home.requests[0]?.text).not.toContain('nk-work');
  });

  test('never sends the key of the environment', async () => {
    const { home, work, env } = await twoProfiles([failed], [answered]);
    const first = { ...env, NATTER_API_KEY: 'nk-of-environment', NATTER_BASE_URL: work.url };
    await runInMemory(['--fallback', 'home:llama3', 'hi'], { env: first });
    expect(work.requests[0]?.headers['authorization']).toBe('Bearer nk-of-environment');
    expect(home.requests[0]?.headers['authorization']).toBe('Bearer nk-home');
  });

  test('follows a service that cannot be reached', async () => {
    const { work, home, env } = await twoProfiles([failed], [answered]);
    await work.stop();
    const words = ['--profile', 'work', '--fallback', 'home:llama3', 'hi'];
    const { code, stderr } = await runInMemory(words, { env });
    expect(code).toBe(0);
    expect(home.requests).toHaveLength(1);
    expect(stderr).toContain('natter: warning: origin: cannot reach');
    expect(stderr).toContain('; falling back to home:llama3\n');
  });

  test('that does not exist is refused before anything is sent', async () => {
    const { work, env } = await twoProfiles([answered], []);
    const words = ['--profile', 'work', '--fallback', 'homme:llama3', 'hi'];
    expectFailure(
      await runInMemory(words, { env }),
      2,
      'natter: there is no profile homme for homme:llama3; the profiles are default, home, work\n',
      '\n  a model of that name needs its profile, as in default:homme:llama3\n',
    );
    const variable = { ...env, NATTER_FALLBACK: 'homme:llama3' };
    expect((await runInMemory(['--profile', 'work', 'hi'], { env: variable })).code).toBe(3);
    expect(work.requests).toEqual([]);
  });

  test('without a service is refused before anything is sent', async () => {
    const { work, env } = await twoProfiles([answered], []);
    await runInMemory(['config', 'set', 'model', 'x', '--profile', 'empty'], { env });
    const words = ['--profile', 'work', '--fallback', 'empty:x', 'hi'];
    const problem = 'natter: the profile empty of --fallback has no service\n';
    const hint = '  natter auth login --profile empty\n';
    expectFailure(await runInMemory(words, { env }), 3, problem + hint);
    expect(work.requests).toEqual([]);
  });
});

test('each group of --every falls back by itself', async () => {
  const server = await serve([failed, answered, answered]);
  const env = serviceAt(server, noRetries);
  const words = ['--every', '1l', '--fallback', 'nextgen', 'x'];
  expect(await runInMemory(words, { env, input: 'a\nb\n' })).toMatchObject({
    code: 0,
    stdout: '==> line 1 <==\nok\n\n==> line 2 <==\nok\n',
    stderr: 'natter: warning: line 1: origin: the service failed (500); falling back to nextgen\n',
  });
  expect(modelsIn(server)).toEqual(['origin', 'nextgen', 'origin']);
});

test('the pieces of --split and their combination fall back', async () => {
  const server = await serve([failed, answered]);
  // The model has a window of 800 tokens, as natter has learned.
  const windows = JSON.stringify({ [server.url]: { origin: 800 } });
  const state = folderOf({ 'models.json': windows });
  const env = serviceAt(server, { ...noRetries, NATTER_STATE_DIR: state });
  const words = ['--split', 'lines', '--max-tokens', '50', '--fallback', 'nextgen', 'count'];
  const input = `${'x'.repeat(45)}\n`.repeat(200);
  const { code, stdout, stderr } = await runInMemory(words, { env, input });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'ok\n' });
  expect(stderr).toContain('origin: the service failed (500); falling back to nextgen\n');
  expect(modelsIn(server).filter((model) => model === 'nextgen')).toHaveLength(1);
});
