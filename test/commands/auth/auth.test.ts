import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { filesBelow } from '../../support/folder.ts';
import { expectFailure, runInContext, runInMemory } from '../../support/in-memory.ts';
import { temporaryHome } from '../../support/natter.ts';
import { homeWithKeyProgram, printKey, storedKey, withKeyProgram } from '../../support/profiles.ts';
import { json, streamed } from '../../support/raw-replies.ts';
import { expectNoSecret, secretKey } from '../../support/secret.ts';
import { runOn, serve } from '../../support/serve.ts';

const listedModels = json(200, { data: [{ id: 'origin' }, { id: 'nextgen' }] });
const missing = json(404, {});
const refusedPrompt = json(400, {});
const refusedKey = json(401, { error: { message: 'no such key' } });

/** Logs in to an address with a key on standard input. */
const login = (
  url: string,
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  input: string | Buffer = 'nk-key',
) => runInMemory(['auth', 'login', '--base-url', url, ...words], { env, input });

const pathsOf = (server: Awaited<ReturnType<typeof serve>>) =>
  server.requests.map(({ path }) => path);

test('K2 login checks the key on standard input, stores address and key, and reports the models', async () => {
  const server = await serve([[listedModels], [refusedPrompt], [streamed('Hello')]]);
  const env = { HOME: temporaryHome() };
  expect(await login(server.url, [], env, `${secretKey}\n`)).toMatchObject({
    code: 0,
    stdout: '',
    stderr: [
      `natter: ${server.url} answered: it offers origin, nextgen`,
      `natter: stored in profile default: ${join(env.HOME, '.config/natter/credentials.json')}`,
      '',
    ].join('\n'),
  });
  expect(await runInMemory(['hi'], { env })).toMatchObject({ code: 0, stdout: 'Hello\n' });
  expect(pathsOf(server).slice(0, 2)).toEqual(['/v1/models', '/v1/chat/completions']);
  expect(server.bodies()[0]).toMatchObject({ messages: [], stream: true, max_tokens: 1 });
  for (const { headers } of server.requests) {
    expect(headers['authorization']).toBe(`Bearer ${secretKey}`);
  }
});

test.each([405, 501])('N24: a web site that answers a prompt with %i is no API', async (status) => {
  const server = await serve([[missing], [json(status, {})], [missing], [json(status, {})]]);
  expectFailure(await login(server.url), 6, 'natter found no API at');
});

test('N24: a login to a web page stores nothing, and says so', async () => {
  const page = '<!doctype html>';
  const answer = `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${page.length}\r\n\r\n${page}`;
  const server = await serve([[answer]]);
  expectFailure(await login(server.url), 9, 'is not JSON\n  nothing was stored; ');
});

test('N24: login in a script keeps a working service if an address has no API', async () => {
  const server = await serve([[missing]]);
  const env = { HOME: temporaryHome() };
  await login('https://api.example.com', ['--no-check'], env);
  const refused = await login(`${server.url}/site`, [], env, 'nk-other');
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
  const options = { environment: { HOME: home }, homeDirectory: home, terminals, answers };
  const words = address === undefined ? [] : ['--base-url', address];
  const ran = await runInContext(['auth', 'login', ...words], options, { clock: systemClock });
  return { ...ran, home };
}

const addressQuestion = 'Base URL of the service: ';
const keyQuestion = 'API key (not shown; empty for none): ';

test('N24, N25: login on a terminal asks again for an address without an API, or without a server', async () => {
  const site = await serve([[missing]]);
  const service = await serve([[listedModels], [refusedPrompt]]);
  const dead = 'http://127.0.0.1:9';
  const answers = ['nk-key', site.url, service.url];
  const { questions, stderr, home } = await loginOnTerminal(dead, answers);
  const address = `Base URL of the service [${dead}]: `;
  expect(questions).toEqual([keyQuestion, address, address]);
  expect(stderr).toMatch(/cannot reach 127\.0\.0\.1:9: the connection was refused;\s+try\s+again/);
  expect(stderr).toContain('natter found no API at');
  expect(storedKey(home)).toBe('nk-key');
  expect(service.requests[0]?.headers['authorization']).toBe('Bearer nk-key');
});

test('X3: login on a terminal suggests the current address, and an empty key removes the stored one', async () => {
  const server = await serve([[listedModels], [streamed('Hello')]]);
  const env = { HOME: temporaryHome() };
  await login(server.url, ['--no-check'], env, 'nk-old-key-0001');
  const { questions, stderr } = await loginOnTerminal(undefined, ['', ''], env.HOME);
  expect(questions).toEqual([`Base URL of the service [${server.url}]: `, keyQuestion]);
  expect(stderr).toContain('the previously stored key was deleted');
  const credentials = join(env.HOME, '.config', 'natter', 'credentials.json');
  expect(readFileSync(credentials, 'utf8')).not.toContain('nk-old');
  expect((await runInMemory(['hi'], { env })).stdout).toBe('Hello\n');
  for (const { headers } of server.requests) expect(headers).not.toHaveProperty('authorization');
});

test('Y16: login on a terminal asks again after an invalid address, before it asks for a key', async () => {
  const server = await serve([[listedModels], [refusedPrompt]]);
  const { questions } = await loginOnTerminal(undefined, ['my service', server.url, 'nk-key']);
  expect(questions).toEqual([addressQuestion, addressQuestion, keyQuestion]);
  expect(server.requests[0]?.headers['authorization']).toBe('Bearer nk-key');
});

test('Y16: login on a terminal asks at most three times', async () => {
  const { questions, failure, stderr } = await loginOnTerminal(undefined, ['a b', 'c d', 'e f']);
  expect(questions).toEqual([addressQuestion, addressQuestion, addressQuestion]);
  expect(failure).toMatchObject({ kind: 'usage' });
  expect(stderr.match(/the base URL must be an http/g)).toHaveLength(2);
});

test('Y16: login on a terminal asks again after a refused and an impossible key, and shows none', async () => {
  const refusal = json(401, { error: { message: 'bad key nk-wrong' } });
  const server = await serve([[refusal], [listedModels], [refusedPrompt]]);
  const answers = ['nk-wrong', 'Bearer nk-right', 'nk-right'];
  const { questions, stderr, home } = await loginOnTerminal(server.url, answers);
  expect(questions).toEqual([keyQuestion, keyQuestion, keyQuestion]);
  expect(stderr).toContain('starts with the word Bearer');
  expect(stderr).not.toMatch(/nk-wrong|nk-right/);
  expect(storedKey(home)).toBe('nk-right');
});

test('with --no-input a key must be piped in', async () => {
  const words = ['auth', 'login', '--no-input', '--base-url', 'http://127.0.0.1:9'];
  expect(await runInContext(words, { terminals })).toMatchObject({
    failure: { kind: 'usage', hint: 'natter auth login --no-input < key.txt' },
    questions: [],
  });
});

test.each([
  [[listedModels], [refusedPrompt], 'it offers origin'],
  // An API that lists no models is found by how it refuses a prompt.
  [[missing], [refusedPrompt], 'answered, but lists no models'],
])('N3 login finds an API without /v1, and stores its path', async (list, prompt, result) => {
  const server = await serve([[missing], [missing], list, prompt, [streamed('Hello')]]);
  const env = { HOME: temporaryHome() };
  const { code, stderr } = await login(`${server.url}/gateway`, [], env);
  expect(code).toBe(0);
  expect(stderr).toContain(result);
  expect(stderr).toContain('api-path is /');
  expect((await runInMemory(['hi'], { env })).stdout).toBe('Hello\n');
  expect(pathsOf(server)).toEqual([
    '/gateway/v1/models',
    '/gateway/v1/chat/completions',
    '/gateway/models',
    '/gateway/chat/completions',
    '/gateway/chat/completions',
  ]);
});

test.each([
  [[], 'natter config set model llama3.2:3b'],
  [['--profile', 'local'], 'natter config set model llama3.2:3b --profile local'],
])('login %j suggests a model of the service', async (words, advice) => {
  const server = await serve([[json(200, { data: [{ id: '$(x)' }, { id: 'llama3.2:3b' }] })]]);
  const { code, stderr } = await login(server.url, words);
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

test('login with a refused key stores nothing, and names status, address and what to correct', async () => {
  const replies = [[refusedKey], [json(403, {})], [listedModels], [refusedPrompt], [refusedKey]];
  const server = await serve(replies);
  const env = { HOME: temporaryHome(), NATTER_API_KEY: 'nk-variable' };
  const next = 'check the key with its issuer, or correct the address: natter auth login';
  expect(await login(server.url, [], env)).toMatchObject({
    code: 4,
    stderr: `natter: ${server.url} refused the key (401): no such key\n  nothing was stored; ${next} --base-url <url>\n`,
  });
  expect(() => storedKey(env.HOME)).toThrow('ENOENT');
  expect(await login(server.url, [], env)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(`${server.url} refused the key (403)\n`) as string,
  });
  const work = ['--profile', 'work'];
  expect(await login(server.url, work, env)).toMatchObject({ code: 0 });
  const advice = `\n  the stored key is kept; ${next} --base-url <url> --profile work\n`;
  expect((await login(server.url, work, env)).stderr).toContain(advice);
});

test.each(['', ' \n\t\n'])('login with the standard input %j says what to type', async (input) => {
  expect(await login('http://127.0.0.1:9', [], {}, input)).toMatchObject({
    code: 2,
    stderr:
      'natter: standard input has no API key\n  pipe it in: printf %s "$KEY" | natter auth login\n',
  });
});

test('N25: login to an unreachable service stores nothing, and says so', async () => {
  const env = { HOME: temporaryHome() };
  const failed = await login('http://127.0.0.1:9', ['--retries', '0'], env);
  const advice = 'start the server, or correct the address; then run the same login again';
  expectFailure(failed, 10, `refused\n  nothing was stored; ${advice}\n`);
  expect(existsSync(join(env.HOME, '.config', 'natter'))).toBe(false);
});

test('status shows the source of each value: as rows, as JSON and as a table', async () => {
  const env = { HOME: temporaryHome() };
  await login('https://api.example.com', ['--no-check'], env, 'nk-first-key-0001');
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
  const { stdout, stderr } = await runInMemory(['auth', 'status', '--json'], { env: more });
  expect(JSON.parse(stdout)).toContainEqual({
    name: 'model',
    value: 'nextgen',
    source: { kind: 'environment', name: 'NATTER_MODEL' },
  });
  expect(stderr).toBe('');
  const file = join(env.HOME, '.config/natter/credentials.json');
  const { stderr: notice } = await runInMemory(['auth', 'status'], { env });
  expect(notice).toBe(`natter: the key is stored in ${file}\n`);
  const environment = { NATTER_API_KEY: 'nk-first-key-0001' };
  const words = ['auth', 'status', '--color', 'never'];
  const table = await runInContext(words, { environment, terminals });
  expect(table.stdout).toMatch(/^SETTING {3}VALUE {6}SOURCE\n(?:.*\n)+base-url {2}\(not set\)\n/);
  expect(table.stderr).toContain('no service is configured; connect one with natter auth login');
});

const check = ['auth', 'status', '--check'];

test('status --check lists the models of the service', async () => {
  const env = { NATTER_MODEL: 'other' };
  const { code, stdout, stderr, server } = await runOn([[listedModels]], check, { env });
  expect(code).toBe(0);
  expect(stdout).toContain(`base-url\t${server.url}\t`);
  expect(stderr).toContain(`natter: ${server.url} answered: it offers origin, nextgen\n`);
  expect(stderr).toContain('natter config set model origin');
  expect(pathsOf(server)).toEqual(['/v1/models', '/v1/chat/completions']);
});

test.each([
  [401, 4],
  [403, 5],
  [500, 9],
])('status --check of an answer %i exits with %i', async (status, exit) => {
  const reply = json(status, { error: { message: 'no' } });
  const { code, stdout, server } = await runOn([[reply]], [...check, '--json']);
  expect(code).toBe(exit);
  expect(JSON.parse(stdout)).toHaveLength(4);
  expect(server.requests).toHaveLength(1);
});

test('status --check says which key and address it could not check', async () => {
  const unchecked = 'is reachable, but natter found no API there, so the key was not checked';
  const noApi = await runOn([[missing]], check);
  expect(noApi).toMatchObject({ code: 0, stderr: expect.stringContaining(unchecked) as string });
  // Some services list their models for any key.
  expect(await runOn([[listedModels], [refusedKey]], check)).toMatchObject({ code: 4 });
  const env = { NATTER_BASE_URL: 'http://127.0.0.1:9' };
  expect(await runInMemory([...check, '--sandbox'], { env })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('the sandbox answered: it offers origin, nextgen\n') as string,
  });
  expect(await runInMemory(check)).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^natter: no service is configured, so/) as string,
  });
});

test('logout deletes the key and keeps the address', async () => {
  const env = { HOME: temporaryHome() };
  await login('https://api.example.com', ['--no-check'], env);
  expect(await runInMemory(['auth', 'logout'], { env })).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'natter: deleted the key of profile default\n',
  });
  const file = join(env.HOME, '.config/natter/credentials.json');
  expect(readFileSync(file, 'utf8')).not.toContain('nk-key');
  const { stdout } = await runInMemory(['config', 'get', 'base-url'], { env });
  expect(stdout).toBe('https://api.example.com\n');
  expect((await runInMemory(['auth', 'logout'], { env })).stderr).toContain('has no stored key');
});

test('logout reports a key that is still set in the environment', async () => {
  const { stderr } = await runInMemory(['auth', 'logout'], { env: { NATTER_API_KEY: 'nk-key' } });
  expect(stderr).toContain('NATTER_API_KEY is still set and takes effect');
});

test('the command prints the key once, which is sent, but neither shown nor stored; a replay runs none', async () => {
  const server = await serve([[streamed(`your key is ${secretKey}`)]]);
  const { home, run, runs } = await withKeyProgram(printKey, server.url);
  const recording = join(home, 'recording.jsonl');
  const { code, stdout, stderr } = await run(['--record', recording, 'hi'], { NATTER_DEBUG: '1' });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'your key is ***\n' });
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${secretKey}`);
  const files = filesBelow(home).filter((path) => !path.endsWith('print-key'));
  expect(files).toContain(recording);
  expectNoSecret(stdout, stderr, ...files.map((name) => readFileSync(name, 'utf8')));
  expect(await run(['--replay', recording, 'hi'])).toMatchObject({ code: 0, stdout });
  expect(runs()).toBe(1);
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

test('auth status and a dry run show the command, and that a key is sent', async () => {
  const { run, program } = await withKeyProgram(printKey, 'https://api.example.com');
  const { stdout, stderr } = await run(['auth', 'status']);
  expect(stdout).toContain(`api-key-command\t${program}\tprofile default\n`);
  expect(stdout).toContain('api-key\t…\tprofile default\n');
  expect(stderr).toBe(
    'natter: the key is from api-key-command (profile default), which was not run; --check runs it\n',
  );
  const overridden = await run(['auth', 'status'], { NATTER_API_KEY: secretKey });
  expect(overridden.stderr).toContain('NATTER_API_KEY overrides api-key-command (profile default)');
  const dry = JSON.parse((await run(['--dry-run', 'hi'])).stdout) as object;
  expect(dry).toMatchObject({ request: { headers: { authorization: 'Bearer …' } } });
});

test('a rejected key names the command it is from', async () => {
  const server = await serve([[refusedKey]]);
  const { run } = await withKeyProgram(printKey, server.url);
  expectFailure(
    await run(['hi']),
    4,
    'the key is from api-key-command of profile default; natter auth status shows the command',
  );
});

test('config set refuses a command with an open quote, and no option takes one', async () => {
  const result = await runInMemory(['config', 'set', 'api-key-command', 'pass "show']);
  expectFailure(result, 2, 'api-key-command has a quote without its end');
  const option = await runInMemory(['--sandbox', '--api-key-command', 'x', 'hi']);
  expect(option.code).toBe(2);
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

test('piped input is left to the prompt', async () => {
  const server = await serve([[streamed('Hello')]]);
  const { home } = await withKeyProgram(`cat > /dev/null; ${printKey}`, server.url);
  const options = { env: { HOME: home }, input: 'piped text' };
  expect(await runInMemory(['sum up'], options)).toMatchObject({ code: 0 });
  expect(server.requests[0]?.body).toContain('piped text');
});

test.each([
  ['--api-key', '--api-key'],
  ['--key', `--key=\n${secretKey}`],
  ['--token', `--token=${secretKey}`],
  ['-k', `-k${secretKey}`],
])('K1 there is no option %s, and its value is not repeated', async (flag, typed) => {
  const { code, stderr } = await runInMemory([typed, secretKey, 'hi']);
  expect(code).toBe(2);
  expect(stderr).toContain(`unknown option '${flag}'\n`);
  expectNoSecret(stderr);
});

test.each([
  ['UTF-8', Buffer.from(`\uFEFF${secretKey}\r\n`)],
  ['UTF-16, as from PowerShell', Buffer.from(`\uFEFF${secretKey}\r\n`, 'utf16le')],
])('K2 a key on standard input may have a byte order mark of %s', async (_, input) => {
  const server = await serve([[listedModels]]);
  const home = temporaryHome();
  await login(server.url, [], { HOME: home }, input);
  expect(storedKey(home)).toBe(secretKey);
});
