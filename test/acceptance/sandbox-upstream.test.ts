import { expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { runInMemory } from '../support/in-memory.ts';
import { serviceAt, startSandboxCommand, temporaryHome } from '../support/natter.ts';
import { json, streamed } from '../support/raw-replies.ts';
import type { Reply } from '../support/raw-server.ts';
import { serve } from '../support/serve.ts';

const upstreamKey = 'upstream-secret-0123456789';

const models = json(200, { object: 'list', data: [{ id: 'llama3:8b' }] });

async function openGateway(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const gateway = await startSandboxCommand(['--log', ...words], env);
  const service = serviceAt(gateway, { NATTER_API_KEY: sandboxKey });
  return {
    ...gateway,
    /** Runs a natter whose service is the gateway. */
    send: (...prompt: readonly string[]) => runInMemory(prompt, { env: service }),
  };
}

/** An upstream whose first reply is its list of models. */
const serveEngine = (...replies: readonly Reply[]) => serve([[models], ...replies]);

test('natter sends requests to the sandbox, which sends them to the upstream', async () => {
  const engine = await serveEngine([streamed('Hel', 'lo')]);
  const gateway = await openGateway(['--upstream', engine.url], {
    NATTER_UPSTREAM_API_KEY: upstreamKey,
    NATTER_API_KEY: 'key-of-a-client',
    NATTER_BASE_URL: 'http://127.0.0.1:1',
  });
  const { code, stdout } = await gateway.send('--model', 'nextgen', 'hi there');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello\n' });
  expect(gateway.stderr()).toContain(`upstream ${engine.url}: origin is llama3:8b, nextgen is l`);
  const [list, prompt] = engine.requests;
  expect(list?.path).toBe('/v1/models');
  expect(prompt?.headers['authorization']).toBe(`Bearer ${upstreamKey}`);
  const messages = [{ role: 'user', content: 'hi there' }];
  expect(JSON.parse(prompt?.body ?? '')).toEqual({ model: 'llama3:8b', messages, stream: true });
  expect(engine.requests.map(({ text }) => text).join('')).not.toContain('key-of-a-client');
});

test('--upstream-profile uses the address, key, headers and parameters of the profile', async () => {
  const engine = await serveEngine([streamed('Hello')]);
  const env = { HOME: temporaryHome() };
  const run = (line: string, input = '') => runInMemory(line.split(' '), { env, input });
  await run(`config set base-url ${engine.url} --profile engine`);
  await run('config set params.temperature 0.5 --profile engine');
  await run('config set headers.x-team blue --profile engine');
  const login = `auth login --profile engine --base-url ${engine.url} --no-check`;
  expect(await run(login, upstreamKey)).toMatchObject({ code: 0 });
  const gateway = await openGateway(['--upstream-profile', 'engine'], env);
  expect((await gateway.send('hi')).stdout).toBe('Hello\n');
  const prompt = engine.requests.at(-1);
  const headers = { authorization: `Bearer ${upstreamKey}`, 'x-team': 'blue' };
  expect(prompt?.headers).toMatchObject(headers);
  expect(JSON.parse(prompt?.body ?? '')).toMatchObject({ model: 'llama3:8b', temperature: 0.5 });
});

test('stream options of the profile are sent with streams only', async () => {
  const engine = await serveEngine([json(500, {})]);
  const env = { HOME: temporaryHome() };
  const run = (...words: readonly string[]) =>
    runInMemory([...words, '--profile', 'engine'], { env });
  await run('config', 'set', 'base-url', engine.url);
  await run('config', 'set', 'params.stream_options', '{"include_usage":true}');
  const gateway = await openGateway(['--upstream-profile', 'engine'], env);
  await gateway.send('hi', '--retries', '0');
  await gateway.send('hi', '--retries', '0', '--no-stream');
  const [, streaming, whole] = engine.requests;
  expect(streaming?.body).toContain('"stream_options":{"include_usage":true}');
  expect(JSON.parse(whole?.body ?? '')).not.toHaveProperty('stream_options');
});

test('a wrong upstream key is reported as that of the sandbox, and is masked everywhere', async () => {
  const refusal = json(401, { error: { message: `the key ${upstreamKey} is wrong` } });
  const engine = await serveEngine([refusal]);
  const env = { NATTER_UPSTREAM_API_KEY: upstreamKey, NATTER_DEBUG: '1' };
  const gateway = await openGateway(['--upstream', engine.url], env);
  const { code, stderr } = await gateway.send('--retries', '0', 'hi');
  expect(code).toBe(9);
  expect(stderr).toContain("the upstream rejected the sandbox's key, not yours");
  await gateway.waitFor('stderr', /upstream: .*key in NATTER_UPSTREAM_API_KEY/);
  await gateway.waitFor('stdout', /"status":500/);
  expect(stderr + gateway.stdout() + gateway.stderr()).not.toContain(upstreamKey);
});

test.each([
  ['an invalid address', ['--upstream', 'engine.example'], 2, /--upstream must be/],
  ['an unreachable upstream', ['--upstream', 'http://127.0.0.1:1'], 10, /--map origin=/],
  ['a map without an upstream', ['--map', 'origin=x'], 2, /--upstream <url>/],
  ['an unknown model', ['--upstream', 'http://127.0.0.1:1', '--map', 'gpt=x'], 2, /--map takes/],
  ['the sandbox itself', ['--upstream', 'http://localhost:1', '--port', '1'], 2, /own upstream/],
  ['an unknown profile', ['--upstream-profile', 'nobody'], 3, /nobody/],
  ['an invalid profile name', ['--upstream-profile', 'a b'], 2, /is not a profile name/],
])('%s fails with a hint', async (_, words, code, text) => {
  const result = await runInMemory(['sandbox', ...words]);
  expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(text) });
});

test('a key over plain http to another machine is refused', async () => {
  const env = { NATTER_UPSTREAM_API_KEY: upstreamKey };
  const result = await runInMemory(['sandbox', '--upstream', 'http://engine.example'], { env });
  expect(result).toMatchObject({ code: 3, stderr: expect.stringContaining('--allow-insecure') });
});

test('the published key is shown, even if it is the key in use', async () => {
  const upstream = await openGateway([]);
  const env = { NATTER_UPSTREAM_API_KEY: sandboxKey, NATTER_API_KEY: sandboxKey };
  const gateway = await openGateway(['--upstream', upstream.url], env);
  await gateway.waitFor('stderr', new RegExp(`try it: .* NATTER_API_KEY=${sandboxKey} `));
  expect((await gateway.send('[sandbox] [sandbox echo] hi')).stdout).toBe('hi\n');
});

test('N11 the sandbox prints its address for natter, and the one with /v1 for other programs', async () => {
  const sandbox = await openGateway(['--lenient']);
  await sandbox.waitFor('stderr', /for other programs: http:\/\/127\.0\.0\.1:\d+\/v1, key: /);
  const [, url = ''] = /other programs: (\S+)\/v1,/.exec(sandbox.stderr()) ?? [];
  expect(sandbox.stderr()).toContain(`try it: NATTER_BASE_URL=${url} `);
  expect((await sandbox.send('--param', 'temperature=1', '[sandbox echo] hi')).stdout).toBe('hi\n');
});
