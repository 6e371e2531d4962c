import { afterEach, expect, test, vi } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { systemClock } from '../../src/clock.ts';
import { createClient, type ChatEvent, type CompletionRequest } from '../../src/library.ts';
import { json, streamed } from '../support/raw-replies.ts';
import { startRawServer } from '../support/raw-server.ts';
import { serve } from '../support/serve.ts';

const request: CompletionRequest = {
  model: 'origin',
  messages: [{ role: 'user', content: 'Hi' }],
  stream: true,
};

afterEach(() => vi.unstubAllEnvs());

test('only a base URL is required', async () => {
  const server = await startRawServer([[streamed('Hello')]]);
  const client = createClient({ baseUrl: server.url });
  const events: ChatEvent[] = [];
  for await (const event of client.chat(request)) events.push(event);
  client.close();
  expect(events.map(({ type }) => type)).toEqual([
    'answer-started',
    'answer-named',
    'text-received',
    'answer-finished',
  ]);
  expect(server.requests[0]?.headers).toMatchObject({
    'user-agent': `natter/${packageJson.version}`,
  });
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(request);
  await server.stop();
});

async function listWithUsing(baseUrl: string): Promise<unknown> {
  using client = createClient({ baseUrl });
  return await client.listModels();
}

async function listWithAwaitUsing(baseUrl: string): Promise<unknown> {
  await using client = createClient({ baseUrl });
  return await client.listModels();
}

test.each([
  ['using', listWithUsing],
  ['await using', listWithAwaitUsing],
])('`%s` closes the connections of the client', async (_, list) => {
  const server = await serve([[json(200, { object: 'list', data: [] })]]);
  expect(await list(server.url)).toEqual([]);
  await server.idle();
  expect(server.connections()).toBe(1);
});

test("the caller's options override the defaults", async () => {
  const server = await startRawServer([[json(429, {})], [streamed('Hello')]]);
  const client = createClient({
    baseUrl: server.url,
    userAgent: 'catalogue/2',
    random: () => 0,
    clock: {
      monotonic: () => 0,
      date: () => new Date(0),
      timer: (milliseconds, action) => systemClock.timer(milliseconds, action),
      sleep: (milliseconds, signal) =>
        systemClock.sleep(milliseconds === 500 ? 0 : milliseconds, signal),
    },
  });
  const events: ChatEvent[] = [];
  for await (const event of client.chat(request)) events.push(event);
  client.close();
  expect(events[0]).toMatchObject({ type: 'retry-scheduled', delay: 500 });
  expect(events.at(-1)).toMatchObject({ timing: { total: 0 } });
  expect(server.requests[1]?.headers).toMatchObject({ 'user-agent': 'catalogue/2' });
  await server.stop();
});

test.each([
  ['the process sets', undefined, 'HTTP_PROXY'],
  ['the options set', { HTTP_PROXY: 'ftp://other' }, 'HTTP_PROXY'],
])('a proxy that %s is used', (_, environment, variable) => {
  vi.stubEnv('HTTP_PROXY', environment === undefined ? 'ftp://proxy' : '');
  vi.stubEnv('http_proxy', '');
  const options = { baseUrl: 'http://api.example.com' };
  expect(() =>
    createClient(environment === undefined ? options : { ...options, environment }),
  ).toThrow(`${environment === undefined ? 'ftp://proxy' : 'ftp://other'}" in ${variable}`);
});
