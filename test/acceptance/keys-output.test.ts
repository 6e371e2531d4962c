import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { temporaryHome } from '../support/natter.ts';
import { json, response, streamed } from '../support/raw-replies.ts';
import type { Reply } from '../support/raw-server.ts';
import { expectNoSecret, secretForms, secretKey } from '../support/secret.ts';
import { serve } from '../support/serve.ts';

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

const html = { 'content-type': 'text/html' };

/** Responses of a server that sends the key back. */
const echoes: readonly (readonly [place: string, reply: Reply])[] = [
  ['a JSON error', [json(400, { error: { message: secretForms.join(' ') } })]],
  ['a flat JSON error', [json(401, { detail: `bad key ${secretKey}`, code: secretKey })]],
  ['a title of a page', [response(502, html, `<title>${secretForms.join(' ')}</title>`)]],
  ['plain text', [response(500, { 'content-type': 'text/plain' }, secretForms.join('\n'))]],
  ['a request id', [json(403, {}, { 'x-request-id': secretKey })]],
  ['a redirect', [response(302, { location: `https://evil.test/${secretKey}?k=${secretKey}` })]],
  ['Retry-After', [json(429, {}, { 'retry-after': secretKey })]],
  ['a page instead of an answer', [response(200, html, `<title>${secretKey}</title>`)]],
  ['an error inside the answer', [json(200, { error: { message: secretForms.join(' ') } })]],
  ['invalid HTTP', [`${secretKey}\r\n\r\n`]],
];

test.each(
  echoes.flatMap(([place, reply]) =>
    [[], ['--json'], ['--jsonl']].map((flags) => [place, flags, reply] as const),
  ),
)('K8 K9 a key in %s is masked, with %j and NATTER_DEBUG too', async (_, flags, reply) => {
  const server = await serve([reply]);
  const home = temporaryHome();
  const env = {
    HOME: home,
    NATTER_DEBUG: '1',
    NATTER_BASE_URL: server.url,
    NATTER_API_KEY: secretKey,
  };
  const words = ['hi', '--retries', '1', '--retry-max-wait', '1ms', ...flags];
  const { code, stdout, stderr } = await runInMemory(words, { env });
  expect(code).not.toBe(0);
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${secretKey}`);
  expect(stderr).toContain('natter: debug: POST');
  expectNoSecret(stdout, stderr, ...filesBelow(home).map((path) => readFileSync(path, 'utf8')));
});

test.each([
  ['the models', ['models', 'list'], [json(500, { message: secretKey })]],
  ['one model', ['models', 'get', 'x'], [json(404, { message: secretKey })]],
  ['a login', ['auth', 'login', '--no-input'], [json(401, { message: secretKey })]],
] as const)('K8 a key in an error about %s is masked', async (_, words, reply) => {
  const server = await serve([reply]);
  const env = { NATTER_DEBUG: '1', NATTER_BASE_URL: server.url, NATTER_API_KEY: secretKey };
  const { code, stdout, stderr } = await runInMemory([...words, '--retries', '0'], {
    env,
    input: secretKey,
  });
  expect(code).not.toBe(0);
  expectNoSecret(stdout, stderr);
});

test('K8 a key that a server sends as a model name is masked in notices', async () => {
  const reply = json(200, {
    model: secretKey,
    choices: [{ message: { content: 'Hello' }, finish_reason: secretKey }],
  });
  const server = await serve([[reply]]);
  const env = { NATTER_DEBUG: '1', NATTER_BASE_URL: server.url, NATTER_API_KEY: secretKey };
  const { stdout, stderr } = await runInMemory(['hi'], { env });
  expect(stdout).toBe('Hello\n');
  expect(stderr).toContain('finish_reason');
  expectNoSecret(stderr);
});

test('NATTER_DEBUG logs each request, retry, start and end of an answer', async () => {
  const server = await serve([[json(500, {})], [streamed('Hello')]]);
  const env = { NATTER_DEBUG: '1', NATTER_BASE_URL: server.url, NATTER_API_KEY: secretKey };
  const { stdout, stderr } = await runInMemory(['hi'], { env });
  expect(stdout).toBe('Hello\n');
  const lines = stderr.split('\n').filter((line) => line.startsWith('natter: debug: '));
  expect(lines).toEqual([
    `natter: debug: POST ${server.url}/v1/chat/completions, profile default`,
    expect.stringMatching(/retry 1 of 4 in \d+ ms: the service failed \(500\)$/),
    expect.stringMatching(/attempt 2 is answered after \d+ ms$/),
    expect.stringMatching(/the answer is complete after \d+ ms$/),
  ]);
});

test('K8 a secret header of a profile that a server sends back is masked', async () => {
  const server = await serve([[json(400, { message: `no ${secretKey}` })]]);
  const env = { HOME: temporaryHome(), NATTER_DEBUG: '1' };
  await runInMemory(['config', 'set', 'base-url', server.url], { env });
  await runInMemory(['config', 'set', 'headers.x-team-token', secretKey], { env });
  const list = await runInMemory(['config', 'list'], { env });
  const { code, stderr } = await runInMemory(['hi'], { env });
  expect(code).toBe(7);
  expect(server.requests[0]?.headers['x-team-token']).toBe(secretKey);
  expectNoSecret(stderr, list.stdout, list.stderr);
});

test.each([
  ['config list', ['config', 'list']],
  ['config list --json', ['config', 'list', '--json']],
  ['auth status', ['auth', 'status']],
  ['auth status --json', ['auth', 'status', '--json']],
  ['--dry-run', ['hi', '--dry-run']],
])('K25 %s shows only the end of a key', async (_, words) => {
  const env = { NATTER_BASE_URL: 'http://127.0.0.1:9', NATTER_API_KEY: secretKey };
  const { code, stdout, stderr } = await runInMemory(words, { env });
  expect(code).toBe(0);
  expect(stdout).toContain('…cret');
  expectNoSecret(stdout, stderr);
});

test('K25 no part of a short key is shown', async () => {
  const { stdout } = await runInMemory(['auth', 'status'], {
    env: { NATTER_API_KEY: 'short-key' },
  });
  expect(stdout).toContain('api-key\t…\t');
});

test('K22 only four files start other processes, and all remove the keys from their environment', () => {
  const pager = join('src', 'terminal', 'device', 'pager.ts');
  const starters = [
    join('src', 'ask', 'key-command.ts'),
    join('src', 'repl', 'system', 'child-process.ts'),
    join('src', 'repl', 'shell', 'shell-command.ts'),
  ];
  const users = filesBelow('src').filter((path) =>
    /child_process|worker_threads|node:cluster/.test(readFileSync(path, 'utf8')),
  );
  expect(users.sort()).toEqual([...starters, pager].sort());
  for (const path of starters) {
    expect(readFileSync(path, 'utf8')).toMatch(/env: \{ \.\.\.withoutKeys\(/);
  }
  expect(readFileSync(pager, 'utf8')).toMatch(/withoutKeys\(environment\)/);
  const removed =
    /NATTER_API_KEY: _key,\s+NATTER_API_KEY_COMMAND: _command,\s+NATTER_UPSTREAM_API_KEY: _upstreamKey,\s+NATTER_QUEUE: _queue,\s+\.\.\.others\s+\} = environment/;
  expect(readFileSync(join('src', 'environment.ts'), 'utf8')).toMatch(removed);
});

test('K23 nothing in the current folder redirects the key', async () => {
  const [good, evil] = [await serve([[streamed('Good')]]), await serve([[streamed('Evil')]])];
  const cwd = temporaryHome();
  const settings = JSON.stringify({
    version: 1,
    profiles: { default: { 'base-url': evil.url } },
    natter: { baseUrl: evil.url },
  });
  const variables = `NATTER_BASE_URL=${evil.url}\nHTTP_PROXY=${evil.url}\n`;
  for (const name of ['config.json', 'natter.json', '.natterrc', 'package.json', '.natter.json']) {
    writeFileSync(join(cwd, name), settings);
  }
  for (const name of ['.env', '.env.local', '.npmrc']) writeFileSync(join(cwd, name), variables);
  const env = { HOME: temporaryHome(), NATTER_API_KEY: secretKey };
  await runInMemory(['config', 'set', 'base-url', good.url], { env });
  const { stdout } = await runInMemory(['hi'], { env, cwd });
  expect(stdout).toBe('Good\n');
  const relative = await runInMemory(['hi'], { env: { ...env, NATTER_CONFIG_DIR: '.' }, cwd });
  expect(relative.code).toBe(3);
  expect(evil.connections()).toBe(0);
});
