import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../../support/in-memory.ts';
import { temporaryHome } from '../../support/natter.ts';
import { startProxy } from '../../support/proxy-server.ts';
import { json, streamed } from '../../support/raw-replies.ts';
import { expectNoSecret, secretKey } from '../../support/secret.ts';
import { serve } from '../../support/serve.ts';
import { storedKey } from '../../support/profiles.ts';

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
  [
    'a letter beyond ASCII',
    'nk-schlüssel',
    'the API key contains a character that is not plain ASCII',
  ],
  ['a NUL byte', 'nk-\0key', 'the API key contains a character that is not plain ASCII'],
  ['a space', 'nk first', 'the API key contains a space'],
  ['only spaces', ' \n', 'standard input has no API key'],
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

test('K11 whitespace around a key is trimmed', async () => {
  const server = await serve([[streamed('Hello')]]);
  const env = { NATTER_BASE_URL: server.url, NATTER_API_KEY: `  ${secretKey}\t\n` };
  const { code, stdout } = await runInMemory(['hi'], { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello\n' });
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${secretKey}`);
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
  const { code, stderr } = await runInMemory(['config', 'list'], { env: { HOME: home } });
  expect(code).toBe(12);
  expect(stderr).toContain('it is a folder');
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
