import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { startNatter, temporaryHome } from '../support/natter.ts';
import { json, streamed } from '../support/raw-replies.ts';
import { expectNoSecret, secretKey } from '../support/secret.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';

const models = json(200, { data: [{ id: 'origin' }] });

function storedKey(home: string): unknown {
  const path = join(home, '.config', 'natter', 'credentials.json');
  const document = JSON.parse(readFileSync(path, 'utf8')) as {
    profiles: Record<string, { apiKey: string }>;
  };
  return document.profiles['default']?.apiKey;
}

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

test('K1 the key is not in the process list during a request', async () => {
  const server = await serve([[]]);
  const natter = startNatter(['hi'], {
    env: { NATTER_BASE_URL: server.url, NATTER_API_KEY: secretKey },
  });
  await server.received(1);
  const commandLine = readFileSync(`/proc/${natter.child.pid}/cmdline`, 'utf8');
  natter.child.kill();
  await natter.result;
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${secretKey}`);
  expectNoSecret(commandLine);
});

test('K2 a key typed on a terminal is hidden', async () => {
  const server = await serve([[models]]);
  const home = temporaryHome();
  const terminal = openTerminal(['auth', 'login'], { env: { HOME: home } });
  await terminal.waitFor(/Base URL of the service:/);
  terminal.type(`${server.url}\r`);
  await terminal.waitFor(/API key \(not shown; empty for none\):/);
  terminal.type(`${secretKey}\r`);
  expect((await terminal.exit).exitCode).toBe(0);
  expectNoSecret(terminal.output());
  expect(await terminal.transcript()).toMatch(/it offers origin\n.*stored in profile default/);
  expect(storedKey(home)).toBe(secretKey);
});

test('K2 Ctrl+C at the key question stores nothing, and natter ends by SIGINT', async () => {
  const home = temporaryHome();
  const terminal = openTerminal(['auth', 'login', '--base-url', 'http://127.0.0.1:9'], {
    env: { HOME: home },
  });
  await terminal.waitFor(/API key/);
  terminal.type('half-a-key\u0003');
  expect((await terminal.exit).signal).toBe(2);
  expect(terminal.output()).not.toContain('half-a-key');
  expect(() => storedKey(home)).toThrow('ENOENT');
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
