import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { runNatter } from '../support/natter.ts';
import { startProxy } from '../support/proxy-server.ts';
import { streamed } from '../support/raw-replies.ts';
import { expectNoSecret, secretKey } from '../support/secret.ts';
import { serve } from '../support/serve.ts';

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

test('requests to an https service use a tunnel, and the proxy never gets the key', async () => {
  const server = await serve([[streamed('Hello')]], { tls: true });
  const proxy = await startProxy({ upstream: server.port });
  const env = { ...secure, HTTPS_PROXY: proxy.url, NATTER_API_KEY: secretKey };
  expect(await runNatter(['hi'], { env })).toMatchObject({ code: 0, stdout: 'Hello\n' });
  expect(proxy.requests).toMatchObject([{ method: 'CONNECT', target: 'service.test:443' }]);
  expectNoSecret(JSON.stringify(proxy.requests));
  expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${secretKey}`);
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
