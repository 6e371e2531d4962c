import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInMemory } from '../../support/in-memory.ts';
import { temporaryHome } from '../../support/natter.ts';
import { startProxy } from '../../support/proxy-server.ts';
import { json, streamed } from '../../support/raw-replies.ts';
import { expectNoSecret, secretKey } from '../../support/secret.ts';
import { serve } from '../../support/serve.ts';

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

const baseUrl = 'http://127.0.0.1:9';

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** A home with a stored key, which no service has checked. */
async function loggedIn() {
  const home = temporaryHome();
  const words = ['auth', 'login', '--no-check', '--base-url', baseUrl];
  const { code } = await runInMemory(words, { env: { HOME: home }, input: secretKey });
  expect(code).toBe(0);
  const folder = join(home, '.config', 'natter');
  return {
    env: { HOME: home },
    folder,
    config: join(folder, 'config.json'),
    credentials: join(folder, 'credentials.json'),
  };
}

test('K4 a credentials file readable by others is made private, with a warning', async () => {
  const { env, credentials } = await loggedIn();
  chmodSync(credentials, 0o644);
  const status = await runInMemory(['auth', 'status'], { env });
  expect(status.stderr).toContain('others could read');
  expect(status.stderr).toContain('it is private now');
  expect(mode(credentials)).toBe('600');
  const again = await runInMemory(['auth', 'status'], { env });
  expect(again.stderr).toBe(`natter: the key is stored in ${credentials}\n`);
});

test('K5 a symbolic link is followed and kept, and its target is made private', async () => {
  const { env, credentials } = await loggedIn();
  const target = join(temporaryHome(), 'elsewhere.json');
  renameSync(credentials, target);
  symlinkSync(target, credentials);
  chmodSync(target, 0o644);
  const status = await runInMemory(['auth', 'status'], { env });
  expect(status.stdout).toContain('…cret');
  expect(status.stderr).toContain('others could read');
  expect(mode(target)).toBe('600');
  await runInMemory(['auth', 'logout'], { env });
  expect(readFileSync(target, 'utf8')).not.toContain('apiKey');
  expect(readFileSync(credentials, 'utf8')).toBe(readFileSync(target, 'utf8'));
});

test.each([
  ['is truncated', (text: string) => text.slice(0, text.length / 2), 'not valid JSON'],
  ['is empty', () => '', 'it is empty'],
  ['is a list', () => `["${secretKey}"]`, 'is not a JSON object'],
  ['is binary', () => `\0\u0001${secretKey}`, 'not valid JSON'],
])(
  'K7 a credentials file that %s is reported without its content, and not changed',
  async (_, spoil, problem) => {
    const { env, credentials } = await loggedIn();
    const spoiled = spoil(readFileSync(credentials, 'utf8'));
    writeFileSync(credentials, spoiled, { mode: 0o600 });
    for (const words of [['hi'], ['auth', 'status'], ['auth', 'logout']]) {
      const { code, stdout, stderr } = await runInMemory(words, { env });
      expect(code).toBe(3);
      expect(stderr).toContain(credentials);
      expect(stderr).toContain(problem);
      expectNoSecret(stdout, stderr);
    }
    expect(readFileSync(credentials, 'utf8')).toBe(spoiled);
  },
);

test('K7 a byte order mark in the credentials file is ignored', async () => {
  const { env, credentials } = await loggedIn();
  writeFileSync(credentials, `\uFEFF${readFileSync(credentials, 'utf8')}`, { mode: 0o600 });
  const { code, stdout } = await runInMemory(['auth', 'status'], { env });
  expect(code).toBe(0);
  expect(stdout).toContain('…cret');
});

test.each(['__proto__', 'params.__proto__', 'headers.__proto__', 'params.constructor'])(
  'K27 the setting %s is refused',
  async (name) => {
    const { env, config } = await loggedIn();
    const before = readFileSync(config, 'utf8');
    const { code } = await runInMemory(['config', 'set', name, '{"polluted":true}'], { env });
    expect(code).toBe(2);
    expect(readFileSync(config, 'utf8')).toBe(before);
  },
);

test('K27 a profile named __proto__ is refused', async () => {
  const words = ['config', 'set', 'model', 'x', '--profile', '__proto__'];
  expect(await runInMemory(words)).toMatchObject({ code: 2, stdout: '' });
});

test('D17 four simultaneous writers lose no setting', async () => {
  const { env, config } = await loggedIn();
  const names = ['one', 'two', 'three', 'four'];
  await Promise.all(
    names.map(async (name) => {
      for (const round of [1, 2]) {
        const words = ['config', 'set', `params.${name}${round}`, String(round)];
        expect(await runInMemory(words, { env })).toMatchObject({ code: 0 });
      }
    }),
  );
  const { profiles } = JSON.parse(readFileSync(config, 'utf8')) as {
    profiles: { default: { params: object } };
  };
  expect(Object.keys(profiles.default.params).sort()).toEqual(
    names.flatMap((name) => [`${name}1`, `${name}2`]).sort(),
  );
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

test.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])(
  'K16 %s is not used for a loopback address',
  async (variable) => {
    const server = await serve([[streamed('Hello')]]);
    const proxy = await startProxy({ upstream: server.port });
    const env = { NATTER_BASE_URL: server.url, [variable]: proxy.url };
    expect(await runInMemory(['hi'], { env })).toMatchObject({ code: 0, stdout: 'Hello\n' });
    expect(proxy.requests).toEqual([]);
  },
);

test.each([
  ['0.0.0.0', 'direct'],
  ['*', 'direct'],
  ['a.example, 0.0.0.0', 'direct'],
  ['0.0.0.0:%port', 'direct'],
  ['0.0.0.0:1', 'proxy'],
  ['example.com', 'proxy'],
  ['', 'proxy'],
])('K17 with NO_PROXY "%s" the connection is: %s', async (list, connection) => {
  const server = await serve([[streamed('Hello')]]);
  const proxy = await startProxy({ upstream: server.port });
  const env = {
    NATTER_BASE_URL: `http://0.0.0.0:${server.port}`,
    HTTP_PROXY: proxy.url,
    NO_PROXY: list.replace('%port', String(server.port)),
  };
  expect(await runInMemory(['hi'], { env })).toMatchObject({ code: 0, stdout: 'Hello\n' });
  expect(proxy.requests).toHaveLength(connection === 'proxy' ? 1 : 0);
});

test.each(['http://ann:TopSecret@', 'ftp://ann:TopSecret@host', 'http://ann:TopSecret@host:99999'])(
  'K18 the invalid proxy address %s is a clear error',
  async (address) => {
    const env = { ...plain, HTTP_PROXY: address, NATTER_DEBUG: '1' };
    const { code, stdout, stderr } = await runInMemory(['hi'], { env });
    expect(code).toBe(3);
    expect(stderr).toContain('HTTP_PROXY');
    expectNoSecret(stdout, stderr);
  },
);

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

test('K18 an unreachable proxy is reported without its password', async () => {
  const env = { ...plain, HTTP_PROXY: 'http://ann:TopSecret@127.0.0.1:9', NATTER_DEBUG: '1' };
  const { code, stderr } = await runInMemory(['hi', '--retries', '0'], { env });
  expect(code).toBe(10);
  expect(stderr).toContain('127.0.0.1:9');
  expectNoSecret(stderr);
});
