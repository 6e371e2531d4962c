import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { temporaryHome } from '../support/natter.ts';
import { json, streamed } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';

const models = json(200, { data: [{ id: 'origin' }, { id: 'nextgen' }] });

test('login checks the key with the service, stores address and key, and reports the models', async () => {
  const server = await serve([[models], [streamed('Hello')]]);
  const env = { HOME: temporaryHome() };
  const login = await runInMemory(['auth', 'login', '--base-url', server.url], {
    env,
    input: 'nk-first-key-0001',
  });
  expect(login).toMatchObject({ code: 0, stdout: '' });
  expect(login.stderr).toBe(
    [
      `natter: ${server.url} answered: it offers origin, nextgen`,
      `natter: stored in profile default: ${join(env.HOME, '.config/natter/credentials.json')}`,
      '',
    ].join('\n'),
  );
  expect(server.requests[0]).toMatchObject({ method: 'GET', path: '/v1/models' });
  expect(await runInMemory(['hi'], { env })).toMatchObject({ code: 0, stdout: 'Hello\n' });
  expect(server.requests[1]?.headers['authorization']).toBe('Bearer nk-first-key-0001');
});

test('login accepts a service without a list of models, and reports that the key was not checked', async () => {
  const server = await serve([[json(404, {})]]);
  const { code, stderr } = await runInMemory(['auth', 'login', '--base-url', server.url], {
    input: 'nk-key',
  });
  expect(code).toBe(0);
  expect(stderr).toContain('the key was not checked');
});

test('N3 login finds an API without /v1, and stores its path', async () => {
  const server = await serve([[json(404, {})], [models], [streamed('Hello')]]);
  const env = { HOME: temporaryHome() };
  const url = `${server.url}/gateway`;
  const login = await runInMemory(['auth', 'login', '--base-url', url], { env, input: 'nk-key' });
  expect(login).toMatchObject({ code: 0, stderr: expect.stringContaining('api-path is /') });
  expect((await runInMemory(['hi'], { env })).stdout).toBe('Hello\n');
  expect(server.requests.map(({ path }) => path)).toEqual([
    '/gateway/v1/models',
    '/gateway/models',
    '/gateway/chat/completions',
  ]);
});

test('N3 login finds an API that lists no models by how it refuses a prompt', async () => {
  const server = await serve([[json(404, {})], [json(404, {})], [json(404, {})], [json(400, {})]]);
  const url = `${server.url}/gateway`;
  const { code, stderr } = await runInMemory(['auth', 'login', '--base-url', url], {
    input: 'nk-key',
  });
  expect(code).toBe(0);
  expect(stderr).toContain('the key was not checked');
  expect(stderr).toContain('api-path is /');
  expect(server.requests.map(({ path }) => path)).toEqual([
    '/gateway/v1/models',
    '/gateway/models',
    '/gateway/v1/chat/completions',
    '/gateway/chat/completions',
  ]);
});

test.each([
  [[], 'natter config set model llama3.2:3b'],
  [['--profile', 'local'], 'natter config set model llama3.2:3b --profile local'],
])('login %j suggests a model of the service', async (words, advice) => {
  const server = await serve([[json(200, { data: [{ id: '$(x)' }, { id: 'llama3.2:3b' }] })]]);
  const login = ['auth', 'login', '--base-url', server.url, ...words];
  const { code, stderr } = await runInMemory(login, { input: 'nk-key' });
  expect(code).toBe(0);
  expect(stderr).toContain(`origin, the current model, is not one of them: ${advice}\n`);
});

test('login without a key on a terminal stores only the address', async () => {
  const server = await serve([[models], [streamed('Hello')]]);
  const env = { HOME: temporaryHome() };
  const terminal = openTerminal(['auth', 'login', '--base-url', server.url], { env });
  await terminal.waitFor(/API key/);
  terminal.type('\r');
  expect((await terminal.exit).exitCode).toBe(0);
  expect(existsSync(join(env.HOME, '.config', 'natter', 'credentials.json'))).toBe(false);
  expect((await runInMemory(['hi'], { env })).stdout).toBe('Hello\n');
  expect(server.requests[1]?.headers).not.toHaveProperty('authorization');
});

test('login on a terminal suggests the current address', async () => {
  const server = await serve([[models]]);
  const env = { HOME: temporaryHome() };
  await runInMemory(['config', 'set', 'base-url', server.url], { env });
  const terminal = openTerminal(['auth', 'login'], { env });
  await terminal.waitFor(/Base URL of the service \[http:.*\]:/);
  terminal.type('\r');
  await terminal.waitFor(/API key/);
  terminal.type('nk-key\r');
  expect((await terminal.exit).exitCode).toBe(0);
  expect(server.requests[0]?.headers['authorization']).toBe('Bearer nk-key');
});

test.each([
  ['without an address', ['auth', 'login'], 'no base URL is set'],
  ['to the sandbox', ['auth', 'login', '--sandbox'], 'the sandbox needs no login'],
  [
    'to an invalid address',
    ['auth', 'login', '--base-url', 'service'],
    '--base-url must be an http:// or https:// address',
  ],
])('login %s is a usage error', async (_, words, message) => {
  const { code, stderr } = await runInMemory(words, { input: 'nk-key' });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('login with --no-input on a terminal asks no questions', async () => {
  const terminal = openTerminal([
    'auth',
    'login',
    '--no-input',
    '--base-url',
    'http://127.0.0.1:9',
  ]);
  expect((await terminal.exit).exitCode).toBe(2);
  expect(await terminal.transcript()).toContain('natter auth login --no-input < key.txt');
});

test('login with a refused key names the status, the address and what to correct', async () => {
  const refused = json(401, { error: { message: 'no such key' } });
  const server = await serve([[refused], [json(403, {})], [models], [refused]]);
  const env = { HOME: temporaryHome(), NATTER_API_KEY: 'nk-variable' };
  const login = (...words: readonly string[]) =>
    runInMemory(['auth', 'login', '--base-url', server.url, ...words], { env, input: 'nk-key' });
  const next = 'check the key with its issuer, or correct the address: natter auth login';
  expect(await login()).toMatchObject({
    code: 4,
    stderr: `natter: ${server.url} refused the key (401): no such key\n  nothing was stored; ${next} --base-url <url>\n`,
  });
  expect(await login()).toMatchObject({
    code: 5,
    stderr: `natter: ${server.url} refused the key (403)\n  nothing was stored; ${next} --base-url <url>\n`,
  });
  expect(await login('--profile', 'work')).toMatchObject({ code: 0 });
  expect((await login('--profile', 'work')).stderr).toContain(
    `\n  the stored key is kept; ${next} --profile work --base-url <url>\n`,
  );
});

test.each(['', ' \n\t\n'])('login with the standard input %j says what to type', async (input) => {
  const words = ['auth', 'login', '--base-url', 'http://127.0.0.1:9'];
  expect(await runInMemory(words, { input })).toMatchObject({
    code: 2,
    stderr:
      'natter: standard input has no API key\n  pipe it in: printf %s "$KEY" | natter auth login\n',
  });
});

test('login to an unreachable service stores nothing', async () => {
  const env = { HOME: temporaryHome() };
  const words = ['auth', 'login', '--base-url', 'http://127.0.0.1:9', '--retries', '0'];
  const { code } = await runInMemory(words, { env, input: 'nk-key' });
  expect(code).toBe(10);
  expect(existsSync(join(env.HOME, '.config', 'natter'))).toBe(false);
});

test('status shows the source of each value', async () => {
  const env = { HOME: temporaryHome() };
  await runInMemory(['auth', 'login', '--no-check', '--base-url', 'https://api.example.com'], {
    env,
    input: 'nk-first-key-0001',
  });
  const more = { ...env, NATTER_MODEL: 'nextgen' };
  expect((await runInMemory(['auth', 'status'], { env: more })).stdout).toBe(
    [
      'profile\tdefault\tdefault',
      'base-url\thttps://api.example.com\tprofile default',
      'model\tnextgen\tenvironment NATTER_MODEL',
      'api-key\t…0001\tprofile default',
      '',
    ].join('\n'),
  );
  const { stderr } = await runInMemory(['auth', 'status'], { env });
  const file = join(env.HOME, '.config/natter/credentials.json');
  expect(stderr).toBe(`natter: the key is stored in ${file}\n`);
  const { stdout } = await runInMemory(['auth', 'status', '--json'], { env: more });
  expect(JSON.parse(stdout)).toContainEqual({
    name: 'model',
    value: 'nextgen',
    source: { kind: 'environment', name: 'NATTER_MODEL' },
  });
});

test('status --check lists the models of the service', async () => {
  const server = await serve([[models]]);
  const env = { NATTER_BASE_URL: server.url, NATTER_API_KEY: 'nk-key', NATTER_MODEL: 'other' };
  const { code, stdout, stderr } = await runInMemory(['auth', 'status', '--check'], { env });
  expect(code).toBe(0);
  expect(stdout).toContain(`base-url\t${server.url}\t`);
  expect(stderr).toContain(`natter: ${server.url} answered: it offers origin, nextgen\n`);
  expect(stderr).toContain('natter config set model origin');
  expect(server.requests).toMatchObject([{ method: 'GET', path: '/v1/models' }]);
});

test.each([
  [401, 4],
  [403, 5],
  [500, 9],
])(
  'status --check of a service that answers %i sends one request and exits with %i',
  async (status, exitCode) => {
    const server = await serve([[json(status, { error: { message: 'no' } })]]);
    const env = { NATTER_BASE_URL: server.url, NATTER_API_KEY: 'nk-key' };
    const { code, stdout } = await runInMemory(['auth', 'status', '--check', '--json'], { env });
    expect(code).toBe(exitCode);
    expect(JSON.parse(stdout)).toHaveLength(4);
    expect(server.requests).toHaveLength(1);
  },
);

test('status --check without a service is a configuration failure', async () => {
  expect(await runInMemory(['auth', 'status', '--check'])).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^natter: no service is configured, so/) as string,
  });
  const terminal = openTerminal(['auth', 'status', '--check']);
  expect((await terminal.exit).exitCode).toBe(3);
});

test('status --check --sandbox names the sandbox, not the service', async () => {
  const env = { NATTER_BASE_URL: 'http://127.0.0.1:9' };
  const { code, stderr } = await runInMemory(['auth', 'status', '--check', '--sandbox'], { env });
  expect(code).toBe(0);
  expect(stderr).toContain('natter: the sandbox answered: it offers origin, nextgen\n');
});

test('status on a terminal is a table with a heading', async () => {
  const terminal = openTerminal(['auth', 'status'], {
    env: { NATTER_API_KEY: 'nk-first-key-0001' },
  });
  expect((await terminal.exit).exitCode).toBe(0);
  expect(await terminal.transcript()).toBe(
    [
      'SETTING   VALUE      SOURCE',
      'profile   default    default',
      'base-url  (not set)',
      'model     origin     default',
      'api-key   …0001      environment NATTER_API_KEY',
      'natter: no service is configured; connect one with natter auth login',
    ].join('\n'),
  );
});

test('logout deletes the key and keeps the address', async () => {
  const env = { HOME: temporaryHome() };
  const words = ['auth', 'login', '--no-check', '--base-url', 'https://api.example.com'];
  await runInMemory(words, { env, input: 'nk-key' });
  const logout = await runInMemory(['auth', 'logout'], { env });
  expect(logout).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'natter: deleted the key of profile default\n',
  });
  const folder = join(env.HOME, '.config', 'natter');
  expect(readFileSync(join(folder, 'credentials.json'), 'utf8')).not.toContain('nk-key');
  expect((await runInMemory(['config', 'get', 'base-url'], { env })).stdout).toBe(
    'https://api.example.com\n',
  );
  expect((await runInMemory(['auth', 'logout'], { env })).stderr).toContain('has no stored key');
});

test('logout reports a key that is still set in the environment', async () => {
  const { stderr } = await runInMemory(['auth', 'logout'], { env: { NATTER_API_KEY: 'nk-key' } });
  expect(stderr).toContain('NATTER_API_KEY is still set and takes effect');
});
