import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { createMemoryContext } from '../../support/memory-context.ts';
import { expectFailure, runInMemory } from '../../support/in-memory.ts';
import { temporaryHome } from '../../support/natter.ts';
import { homeWithKeyProgram, printKey, storedKey, withKeyProgram } from '../../support/profiles.ts';
import { startProxy } from '../../support/proxy-server.ts';
import { json, streamed } from '../../support/raw-replies.ts';
import { expectNoSecret, secretKey } from '../../support/secret.ts';
import { serve } from '../../support/serve.ts';

const listedModels = json(200, { data: [{ id: 'origin' }, { id: 'nextgen' }] });

test('login checks the key with the service, stores address and key, and reports the models', async () => {
  const server = await serve([[listedModels], [json(400, {})], [streamed('Hello')]]);
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
  const { body = '' } = server.requests[1] ?? {};
  expect(JSON.parse(body)).toMatchObject({ messages: [], stream: true, max_tokens: 1 });
  expect(server.requests[2]?.headers['authorization']).toBe('Bearer nk-first-key-0001');
});

test.each([405, 501])('N24: a web site that answers a prompt with %i is no API', async (status) => {
  const [missing, refused] = [json(404, {}), json(status, {})];
  const server = await serve([[missing], [refused], [missing], [refused]]);
  const login = ['auth', 'login', '--base-url', server.url];
  expectFailure(await runInMemory(login, { input: 'nk-key' }), 6, 'natter found no API at');
});

test('N24: a login to a web page stores nothing, and says so', async () => {
  const page = '<!doctype html>';
  const answer = `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${page.length}\r\n\r\n${page}`;
  const server = await serve([[answer]]);
  const login = ['auth', 'login', '--base-url', server.url];
  const result = await runInMemory(login, { input: 'nk-key' });
  expectFailure(result, 9, 'is not JSON\n  nothing was stored; ');
});

test('N24: login in a script keeps a working service if an address has no API', async () => {
  const server = await serve([[json(404, {})]]);
  const env = { HOME: temporaryHome() };
  const working = ['auth', 'login', '--no-check', '--base-url', 'https://api.example.com'];
  await runInMemory(working, { env, input: 'nk-key' });
  const login = ['auth', 'login', '--base-url', `${server.url}/site`];
  const refused = await runInMemory(login, { env, input: 'nk-other' });
  const tried = `${server.url}/site/v1 or ${server.url}/site`;
  expectFailure(refused, 6, `natter found no API at ${tried}\n  nothing was stored; `);
  expect(storedKey(env.HOME)).toBe('nk-key');
  const { stdout } = await runInMemory(['config', 'get', 'base-url'], { env });
  expect(stdout).toBe('https://api.example.com\n');
});

const terminals = ['stdin', 'stdout', 'stderr'] as const;

/** A login on a terminal, with the answers to its questions. */
async function loginOnTerminal(
  address: string | undefined,
  answers: readonly string[],
  home = temporaryHome(),
) {
  const environment = { HOME: home };
  const memory = createMemoryContext({ environment, homeDirectory: home, terminals, answers });
  const context = { ...memory.context, clock: systemClock };
  const words = address === undefined ? [] : ['--base-url', address];
  const end = await runProgram(context, ['auth', 'login', ...words]).catch(
    (error: unknown) => error,
  );
  return { end, questions: memory.questions, stderr: memory.stderr(), home };
}

const addressQuestion = 'Base URL of the service: ';
const keyQuestion = 'API key (not shown; empty for none): ';

test('N24, N25: login on a terminal asks again for an address without an API, or without a server', async () => {
  const site = await serve([[json(404, {})]]);
  const service = await serve([[listedModels], [json(400, {})]]);
  const dead = 'http://127.0.0.1:9';
  const login = await loginOnTerminal(dead, ['nk-key', site.url, service.url]);
  const address = `Base URL of the service [${dead}]: `;
  expect(login.questions).toEqual([keyQuestion, address, address]);
  expect(login.stderr).toMatch(
    /cannot reach 127\.0\.0\.1:9: the connection was refused;\s+try\s+again/,
  );
  expect(login.stderr).toContain('natter found no API at');
  expect(storedKey(login.home)).toBe('nk-key');
  expect(service.requests[0]?.headers['authorization']).toBe('Bearer nk-key');
});

test('login on a terminal suggests the current address, and an empty key stores only the address', async () => {
  const server = await serve([[listedModels], [streamed('Hello')]]);
  const env = { HOME: temporaryHome() };
  await runInMemory(['config', 'set', 'base-url', server.url], { env });
  const login = await loginOnTerminal(undefined, ['', ''], env.HOME);
  expect(login.questions).toEqual([`Base URL of the service [${server.url}]: `, keyQuestion]);
  expect(existsSync(join(env.HOME, '.config', 'natter', 'credentials.json'))).toBe(false);
  expect((await runInMemory(['hi'], { env })).stdout).toBe('Hello\n');
  expect(server.requests[1]?.headers).not.toHaveProperty('authorization');
});

test('Y16: login on a terminal asks again after an invalid address, before it asks for a key', async () => {
  const server = await serve([[listedModels], [json(400, {})]]);
  const login = await loginOnTerminal(undefined, ['my service', server.url, 'nk-key']);
  expect(login.questions).toEqual([addressQuestion, addressQuestion, keyQuestion]);
  expect(server.requests[0]?.headers['authorization']).toBe('Bearer nk-key');
});

test('Y16: login on a terminal asks at most three times', async () => {
  const login = await loginOnTerminal(undefined, ['my service', 'my service', 'my service']);
  expect(login.questions).toEqual([addressQuestion, addressQuestion, addressQuestion]);
  expect(login.end).toMatchObject({ kind: 'usage' });
  expect(login.stderr.match(/the base URL must be an http/g)).toHaveLength(2);
});

test('Y16: login on a terminal asks again after a refused and an impossible key, and shows none', async () => {
  const refusal = json(401, { error: { message: 'bad key nk-wrong' } });
  const server = await serve([[refusal], [listedModels], [json(400, {})]]);
  const login = await loginOnTerminal(server.url, ['nk-wrong', 'Bearer nk-right', 'nk-right']);
  expect(login.questions).toEqual([keyQuestion, keyQuestion, keyQuestion]);
  expect(login.stderr).toContain('starts with the word Bearer');
  expect(login.stderr).not.toMatch(/nk-wrong|nk-right/);
  expect(storedKey(login.home)).toBe('nk-right');
});

test('X3: an empty key on a terminal removes the stored key', async () => {
  const server = await serve([
    [listedModels],
    [json(400, {})],
    [listedModels],
    [streamed('Hello')],
  ]);
  const env = { HOME: temporaryHome() };
  await runInMemory(['auth', 'login', '--base-url', server.url], { env, input: 'nk-old-key-0001' });
  const login = await loginOnTerminal(`${server.url}/other`, [''], env.HOME);
  expect(login.stderr).toContain('the previously stored key was deleted');
  await runInMemory(['hi'], { env });
  expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
    'Bearer nk-old-key-0001',
    'Bearer nk-old-key-0001',
    undefined,
    undefined,
  ]);
  const credentials = join(env.HOME, '.config', 'natter', 'credentials.json');
  expect(readFileSync(credentials, 'utf8')).not.toContain('nk-old');
});

test('with --no-input a key must be piped in, and a check needs a service', async () => {
  const words = ['--no-input', '--base-url', 'http://127.0.0.1:9'];
  const { context, questions } = createMemoryContext({ terminals });
  await expect(runProgram(context, ['auth', 'login', ...words])).rejects.toMatchObject({
    kind: 'usage',
    hint: 'natter auth login --no-input < key.txt',
  });
  expect(questions).toEqual([]);
  expect(await runInMemory(['auth', 'status', '--check'])).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^natter: no service is configured, so/) as string,
  });
});

test('status on a terminal is a table with a heading', async () => {
  const environment = { NATTER_API_KEY: 'nk-first-key-0001' };
  const { context, stdout, stderr } = createMemoryContext({ environment, terminals });
  await runProgram(context, ['auth', 'status', '--color', 'never']);
  expect(stdout()).toBe(
    [
      'SETTING   VALUE      SOURCE',
      'profile   default    default',
      'base-url  (not set)',
      'model     origin     default',
      'api-key   …0001      environment NATTER_API_KEY',
      '',
    ].join('\n'),
  );
  expect(stderr()).toBe('natter: no service is configured; connect one with natter auth login\n');
});

test('N3 login finds an API without /v1, and stores its path', async () => {
  const missing = json(404, {});
  const server = await serve([
    [missing],
    [missing],
    [listedModels],
    [json(400, {})],
    [streamed('Hello')],
  ]);
  const env = { HOME: temporaryHome() };
  const url = `${server.url}/gateway`;
  const login = await runInMemory(['auth', 'login', '--base-url', url], { env, input: 'nk-key' });
  expect(login).toMatchObject({ code: 0, stderr: expect.stringContaining('api-path is /') });
  expect((await runInMemory(['hi'], { env })).stdout).toBe('Hello\n');
  expect(server.requests.map(({ path }) => path)).toEqual([
    '/gateway/v1/models',
    '/gateway/v1/chat/completions',
    '/gateway/models',
    '/gateway/chat/completions',
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
  expect(stderr).toContain('answered, but lists no models');
  expect(stderr).toContain('api-path is /');
  expect(server.requests.map(({ path }) => path)).toEqual([
    '/gateway/v1/models',
    '/gateway/v1/chat/completions',
    '/gateway/models',
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

test.each([
  ['without an address', ['auth', 'login'], 'no base URL is set'],
  ['to the sandbox', ['auth', 'login', '--sandbox'], 'the sandbox needs no login'],
  [
    'to an invalid address',
    ['auth', 'login', '--base-url', 'service'],
    '--base-url must be an http:// or https:// address',
  ],
])('login %s is a usage error', async (_, words, message) => {
  expectFailure(await runInMemory(words, { input: 'nk-key' }), 2, message);
});

test('login with a refused key names the status, the address and what to correct', async () => {
  const refused = json(401, { error: { message: 'no such key' } });
  const server = await serve([
    [refused],
    [json(403, {})],
    [listedModels],
    [json(400, {})],
    [refused],
  ]);
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
    `\n  the stored key is kept; ${next} --base-url <url> --profile work\n`,
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

test('N25: login to an unreachable service stores nothing, and says so', async () => {
  const env = { HOME: temporaryHome() };
  const words = ['auth', 'login', '--base-url', 'http://127.0.0.1:9', '--retries', '0'];
  const login = await runInMemory(words, { env, input: 'nk-key' });
  const advice = 'start the server, or correct the address; then run the same login again';
  expectFailure(login, 10, `refused\n  nothing was stored; ${advice}\n`);
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
  const server = await serve([[listedModels]]);
  const env = { NATTER_BASE_URL: server.url, NATTER_API_KEY: 'nk-key', NATTER_MODEL: 'other' };
  const { code, stdout, stderr } = await runInMemory(['auth', 'status', '--check'], { env });
  expect(code).toBe(0);
  expect(stdout).toContain(`base-url\t${server.url}\t`);
  expect(stderr).toContain(`natter: ${server.url} answered: it offers origin, nextgen\n`);
  expect(stderr).toContain('natter config set model origin');
  expect(server.requests.map(({ path }) => path)).toEqual(['/v1/models', '/v1/chat/completions']);
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

test('status --check of an address without an API says that the key was not checked', async () => {
  const server = await serve([[json(404, {})]]);
  const env = { NATTER_BASE_URL: server.url, NATTER_API_KEY: 'nk-key' };
  const { code, stderr } = await runInMemory(['auth', 'status', '--check'], { env });
  expect(code).toBe(0);
  expect(stderr).toContain(
    `${server.url} is reachable, but natter found no API there, so the key was not checked`,
  );
});

test('status --check reports a refused key of a service that lists its models for any key', async () => {
  const server = await serve([[listedModels], [json(401, { error: { message: 'no' } })]]);
  const env = { NATTER_BASE_URL: server.url, NATTER_API_KEY: 'nk-key' };
  const { code } = await runInMemory(['auth', 'status', '--check'], { env });
  expect(code).toBe(4);
});

test('status --check --sandbox names the sandbox, not the service', async () => {
  const env = { NATTER_BASE_URL: 'http://127.0.0.1:9' };
  const { code, stderr } = await runInMemory(['auth', 'status', '--check', '--sandbox'], { env });
  expect(code).toBe(0);
  expect(stderr).toContain('natter: the sandbox answered: it offers origin, nextgen\n');
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

test('logout of a profile that is named like a property of every object finds no key', async () => {
  const env = { HOME: temporaryHome() };
  await runInMemory(['config', 'set', 'model', 'nextgen', '--profile', 'toString'], { env });
  const { stderr } = await runInMemory(['auth', 'logout', '--profile', 'toString'], { env });
  expect(stderr).toBe('natter: profile toString has no stored key\n');
});

test('logout reports a key that is still set in the environment', async () => {
  const { stderr } = await runInMemory(['auth', 'logout'], { env: { NATTER_API_KEY: 'nk-key' } });
  expect(stderr).toContain('NATTER_API_KEY is still set and takes effect');
});

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => statSync(name).isFile() && !name.endsWith('print-key'));
}

test('the command prints the key, which is sent, but neither shown nor stored', async () => {
  const server = await serve([[streamed(`your key is ${secretKey}`)]]);
  const { home, run, runs } = await withKeyProgram(printKey, server.url);
  const recording = join(home, 'recording.jsonl');
  const { code, stdout, stderr } = await run(['--record', recording, 'hi'], { NATTER_DEBUG: '1' });
  expect(code).toBe(0);
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${secretKey}`);
  expect(runs()).toBe(1);
  expect(stdout).toBe('your key is ***\n');
  const files = filesBelow(home);
  expect(files).toContain(recording);
  expectNoSecret(stdout, stderr, ...files.map((name) => readFileSync(name, 'utf8')));
});

test.each([
  ['--dry-run', ['--dry-run', 'hi']],
  ['--sandbox', ['--sandbox', 'hi']],
  ['auth status', ['auth', 'status']],
  ['config list', ['config', 'list']],
  ['completion', ['__complete', 'models', '=o']],
])('the command does not run for %s', async (_, words) => {
  const { run, runs } = await withKeyProgram(printKey, 'https://api.example.com');
  expect(await run(words)).toMatchObject({ code: 0 });
  expect(runs()).toBe(0);
});

test('the command does not run for a replay', async () => {
  const server = await serve([[streamed('Hello')]]);
  const { home, run, runs } = await withKeyProgram(printKey, server.url);
  const recording = join(home, 'recording.jsonl');
  await run(['--record', recording, 'hi']);
  expect(await run(['--replay', recording, 'hi'])).toMatchObject({ code: 0, stdout: 'Hello\n' });
  expect(runs()).toBe(1);
});

test('NATTER_API_KEY_COMMAND does not run for a service on this machine', async () => {
  const server = await serve([[streamed('Hello')]]);
  const { home, program, runs } = homeWithKeyProgram(printKey);
  const env = { HOME: home, NATTER_BASE_URL: server.url, NATTER_API_KEY_COMMAND: program };
  expect(await runInMemory(['hi'], { env })).toMatchObject({ code: 0, stdout: 'Hello\n' });
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  expect(runs()).toBe(0);
  expect((await runInMemory(['auth', 'status'], { env })).stderr).toBe(
    'natter: NATTER_API_KEY_COMMAND is not run for a service on this machine\n',
  );
});

test('a dry run shows that a key is sent', async () => {
  const { run } = await withKeyProgram(printKey, 'https://api.example.com');
  const { stdout } = await run(['--dry-run', 'hi']);
  expect(JSON.parse(stdout)).toMatchObject({ request: { headers: { authorization: 'Bearer …' } } });
});

test('auth status shows the command and where the key is from', async () => {
  const { run, program } = await withKeyProgram(printKey, 'https://api.example.com');
  const { stdout, stderr } = await run(['auth', 'status']);
  expect(stdout).toContain(`api-key-command\t${program}\tprofile default\n`);
  expect(stdout).toContain('api-key\t…\tprofile default\n');
  expect(stderr).toBe(
    'natter: the key is from api-key-command (profile default), which was not run; --check runs it\n',
  );
  const overridden = await run(['auth', 'status'], { NATTER_API_KEY: secretKey });
  expect(overridden.stderr).toBe(
    'natter: NATTER_API_KEY overrides api-key-command (profile default)\n',
  );
});

test('a rejected key names the command it is from', async () => {
  const server = await serve([[json(401, { error: { message: 'no' } })]]);
  const { run } = await withKeyProgram(printKey, server.url);
  const { code, stderr } = await run(['hi']);
  expect(code).toBe(4);
  expect(stderr).toContain(
    'the key is from api-key-command of profile default; natter auth status shows the command',
  );
});

test('config set refuses a command with an open quote', async () => {
  const result = await runInMemory(['config', 'set', 'api-key-command', 'pass "show']);
  expectFailure(result, 2, 'api-key-command has a quote without its end');
});

test('config set warns of a pipe without a shell, and the failure has the same hint', async () => {
  const hint = 'no shell runs the command, so $, ~, |, <, >, && and ; have no meaning';
  const { program, run } = await withKeyProgram('exit 1', 'https://api.example.com');
  const set = ['config', 'set', 'api-key-command', `${program} show | head -n 1`];
  const { code, stderr } = await run(set);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(hint) as string });
  const failed = await run(['hi']);
  expect(failed.code).toBe(4);
  expect(failed.stderr).toContain(`failed with exit code 1\n  ${hint}`);
});

test('no option takes the command', async () => {
  const { code } = await runInMemory(['--sandbox', '--api-key-command', 'x', 'hi']);
  expect(code).toBe(2);
});

test('piped input is left to the prompt', async () => {
  const server = await serve([[streamed('Hello')]]);
  const { home } = await withKeyProgram(`cat > /dev/null; ${printKey}`, server.url);
  const options = { env: { HOME: home }, input: 'piped text' };
  expect(await runInMemory(['sum up'], options)).toMatchObject({ code: 0 });
  expect(server.requests[0]?.body).toContain('piped text');
});

const models = json(200, { data: [{ id: 'origin' }] });

test.each(['--api-key', '--key', '--token', '-k'])('K1 there is no option %s', async (flag) => {
  const { code, stderr } = await runInMemory([flag, secretKey, 'hi']);
  expect(code).toBe(2);
  expect(stderr).toContain(`unknown option '${flag}'`);
  expectNoSecret(stderr);
});

test.each([
  ['--api-key', `--api-key=${secretKey}`],
  ['--key', `--key=\n${secretKey}`],
  ['-k', `-k${secretKey}`],
])('K1 a key after the unknown option %s is not repeated', async (flag, typed) => {
  const { stderr } = await runInMemory([typed, 'hi']);
  expect(stderr).toContain(`unknown option '${flag}'\n`);
  expectNoSecret(stderr);
});

test('K2 a key is read from standard input', async () => {
  const server = await serve([[models]]);
  const home = temporaryHome();
  const login = await runInMemory(['auth', 'login', '--base-url', server.url], {
    env: { HOME: home },
    input: `${secretKey}\n`,
  });
  expect(login).toMatchObject({ code: 0, stdout: '' });
  expectNoSecret(login.stderr);
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${secretKey}`);
  expect(storedKey(home)).toBe(secretKey);
});

test('a key that the service refuses is not stored', async () => {
  const server = await serve([[json(401, { error: { name: 'unauthorized' } })]]);
  const home = temporaryHome();
  const login = await runInMemory(['auth', 'login', '--base-url', server.url], {
    env: { HOME: home },
    input: secretKey,
  });
  expect(login.code).toBe(4);
  expect(() => storedKey(home)).toThrow('ENOENT');
});

test.each([
  ['a line break', 'nk-first\nnk-second', 'the API key contains a line break'],
  ['the word Bearer', 'Bearer nk-first', 'the API key starts with the word Bearer'],
])('K10 a key on standard input with %s is refused before any request', async (_, key, why) => {
  const server = await serve([[models]]);
  const login = await runInMemory(['auth', 'login', '--base-url', server.url], { input: key });
  expect(login.code).toBe(2);
  expect(login.stderr).toContain(why);
  expect(login.stderr).not.toContain('first');
  expect(server.connections()).toBe(0);
});

test.each([
  ['a line break', 'nk-first\nnk-second'],
  ['a letter beyond ASCII', 'nk-schlüssel-first'],
  ['only spaces', '   '],
])('K10 NATTER_API_KEY with %s is refused before any request', async (_, key) => {
  const server = await serve([[streamed('Hello')]]);
  const env = { NATTER_BASE_URL: server.url, NATTER_API_KEY: key };
  const { code, stderr } = await runInMemory(['hi'], { env });
  expect(code).toBe(3);
  expect(stderr).toContain('NATTER_API_KEY');
  expect(stderr).not.toContain('first');
  expect(server.connections()).toBe(0);
});

test.each([
  ['UTF-8', Buffer.from(`\uFEFF${secretKey}\r\n`)],
  ['UTF-16, as from PowerShell', Buffer.from(`\uFEFF${secretKey}\r\n`, 'utf16le')],
])('K2 a key on standard input may have a byte order mark of %s', async (_, input) => {
  const server = await serve([[models]]);
  const home = temporaryHome();
  await runInMemory(['auth', 'login', '--base-url', server.url], { env: { HOME: home }, input });
  expect(storedKey(home)).toBe(secretKey);
});

test('a folder in place of the settings file is a storage failure', async () => {
  const home = temporaryHome();
  mkdirSync(join(home, '.config', 'natter', 'config.json'), { recursive: true });
  const result = await runInMemory(['config', 'list'], { env: { HOME: home } });
  expectFailure(result, 12, 'it is a folder');
});

const plain = { NATTER_BASE_URL: 'http://service.test', NATTER_ALLOW_INSECURE: 'true' };

const secure = { NATTER_BASE_URL: 'https://service.test', NODE_TLS_REJECT_UNAUTHORIZED: '0' };

test('requests to an http service use HTTP_PROXY', async () => {
  const server = await serve([[streamed('Hello')]]);
  const proxy = await startProxy({ upstream: server.port });
  const env = { ...plain, HTTP_PROXY: proxy.url, NATTER_API_KEY: secretKey };
  expect(await runInMemory(['hi'], { env })).toMatchObject({ code: 0, stdout: 'Hello\n' });
  expect(proxy.requests).toMatchObject([
    { method: 'POST', target: 'http://service.test/v1/chat/completions' },
  ]);
});

test.each([
  ['http', plain, 'HTTP_PROXY'],
  ['https', secure, 'HTTPS_PROXY'],
] as const)('K18 a 407 of a proxy for %s is a clear error', async (_, service, variable) => {
  const proxy = await startProxy({ upstream: 9, refusal: 407 });
  const address = proxy.url.replace('://', '://ann:TopSecret@');
  const env = { ...service, [variable]: address, NATTER_API_KEY: secretKey, NATTER_DEBUG: '1' };
  const { code, stdout, stderr } = await runInMemory(['hi'], { env });
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain('requires a user name and password (407)');
  const sent = Buffer.from('ann:TopSecret').toString('base64');
  expect(proxy.requests[0]?.headers['proxy-authorization']).toBe(`Basic ${sent}`);
  expectNoSecret(stderr);
});
