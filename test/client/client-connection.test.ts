import { expect, onTestFinished, test, vi } from 'vitest';
import { startProxy } from '../support/proxy-server.ts';
import { json, response, streamed } from '../support/raw-replies.ts';
import { afterBody, createTestClient, failureOf, runChat } from '../support/run-chat.ts';
import { serve } from '../support/serve.ts';

const clientThrough = (baseUrl: string, environment: Record<string, string>) =>
  createTestClient(baseUrl, { environment, allowInsecure: true, retries: 0 });

test('K16 connects to a loopback service directly', async () => {
  const proxy = await serve([[json(500, {})]]);
  const server = await serve([[streamed('Hello')]]);
  const run = await runChat(clientThrough(server.url, { HTTP_PROXY: proxy.url }));
  expect(run.text).toBe('Hello');
  expect(proxy.connections()).toBe(0);
});

test('K17 sends plain http to the proxy, with the whole address', async () => {
  const proxy = await serve([[streamed('Hello')]]);
  const address = proxy.url.replace('//', '//user:topsecret@');
  const set = clientThrough('http://service.test', { HTTP_PROXY: address });
  expect(await runChat(set)).toMatchObject({ text: 'Hello', error: undefined });
  expect(proxy.requests[0]?.path).toBe('http://service.test/v1/chat/completions');
  expect(proxy.requests[0]?.headers['proxy-authorization']).toBe(
    `Basic ${Buffer.from('user:topsecret').toString('base64')}`,
  );
});

test('K17 opens a tunnel for https, without the key in its request', async () => {
  const proxy = await serve([[response(502)]]);
  await runChat(clientThrough('https://service.test', { HTTPS_PROXY: proxy.url }));
  expect(proxy.requests).toHaveLength(1);
  expect(proxy.requests[0]).toMatchObject({ method: 'CONNECT', path: 'service.test:443' });
  expect(proxy.requests[0]?.headers).not.toHaveProperty('authorization');
});

const services = ['http://service.test', 'https://service.test'];

/** A client of a service through this proxy, for both schemes. */
const clientBehind = (baseUrl: string, proxy: string) =>
  clientThrough(baseUrl, { HTTP_PROXY: proxy, HTTPS_PROXY: proxy });

test.each(services)(
  'K18 reports a proxy that requires a login for %s, without its password',
  async (baseUrl) => {
    const proxy = await serve([[response(407, { 'proxy-authenticate': 'Basic realm="x"' })]]);
    const address = proxy.url.replace('//', '//user:topsecret@');
    expect(failureOf(await runChat(clientBehind(baseUrl, address)))).toMatchObject({
      kind: 'configuration',
      message: `the proxy ${proxy.url.replace('//', '//…@')} requires a user name and password (407)`,
    });
  },
);

test('K18 reports a proxy that refuses a tunnel as the proxy, not as the service', async () => {
  const proxy = await serve([[response(403)]]);
  const set = clientThrough('https://service.test', { HTTPS_PROXY: proxy.url });
  const failure = failureOf(await runChat(set));
  expect(failure.kind).toBe('unreachable');
  expect(failure.message).toBe(
    `the proxy ${proxy.url} refused the connection to service.test:443 (403)`,
  );
});

test.each(services)('K18 names the proxy whose certificate is not trusted, for %s', async (url) => {
  const proxy = await serve([[response(502)]], { tls: true });
  const { message } = failureOf(await runChat(clientBehind(url, proxy.url)));
  expect(message).toContain(`the TLS certificate of ${new URL(proxy.url).host} is signed`);
});

test.each(services)('K18 names the proxy that speaks no TLS, for %s', async (url) => {
  const proxy = await startProxy({ upstream: 1 });
  const address = proxy.url.replace('http:', 'https:');
  const failure = failureOf(await runChat(clientBehind(url, address)));
  expect(failure.message).toContain(`cannot open a TLS connection to the proxy ${address}`);
  expect(failure.remedy?.code).toBe('check-proxy');
});

test('K18 names the service that speaks no TLS through a tunnel', async () => {
  const server = await startProxy({ upstream: 1 });
  const proxy = await startProxy({ upstream: server.port });
  const set = clientThrough('https://service.test', { HTTPS_PROXY: proxy.url });
  const failure = failureOf(await runChat(set));
  expect(failure.message).toContain('cannot open a TLS connection to service.test:443');
  expect(failure.remedy).toEqual({ code: 'check-scheme', scheme: 'http' });
});

test.each(services)('K18 names an unreachable proxy for %s', async (baseUrl) => {
  const proxy = await serve([[]]);
  await proxy.stop();
  expect(failureOf(await runChat(clientBehind(baseUrl, proxy.url))).message).toBe(
    `cannot reach the proxy ${proxy.url}: the connection was refused`,
  );
});

test('fails at the connect limit when a proxy never responds', async () => {
  const proxy = await serve([[]]);
  const { client, clock } = clientThrough('https://service.test', { HTTPS_PROXY: proxy.url });
  const running = runChat({ client, clock });
  await proxy.received(1);
  await clock.advance(10_000);
  expect(failureOf(await running).message).toContain('no connection within 10 seconds');
  client.close();
  await proxy.idle();
});

test('K17 receives a whole answer over TLS through a tunnel', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = await serve([[streamed('Hello')]], { tls: true });
  const proxy = await startProxy({ upstream: server.port });
  const run = await runChat(clientThrough('https://service.test', { HTTPS_PROXY: proxy.url }));
  expect(run).toMatchObject({ text: 'Hello', error: undefined });
  expect(server.requests[0]?.headers).toMatchObject({ host: 'service.test' });
});

test('receives answers over TLS, and reuses the connection', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = await serve([[streamed('Hello')]], { tls: true });
  const set = createTestClient(server.url);
  expect(await runChat(set)).toMatchObject({ text: 'Hello', error: undefined });
  await afterBody();
  expect(await runChat(set)).toMatchObject({ text: 'Hello', error: undefined });
  expect(server.connections()).toBe(1);
});
