import { afterEach, expect, test, vi } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { systemClock } from '../../src/clock.ts';
import { createClient, type ChatEvent, type CompletionRequest } from '../../src/library.ts';
import { json, streamed } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';

const request: CompletionRequest = {
  model: 'origin',
  messages: [{ role: 'user', content: 'Hi' }],
  stream: true,
};

afterEach(() => vi.unstubAllEnvs());

test('only a base URL is required', async () => {
  const server = await serve([[streamed('Hello')]]);
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
  expect(server.bodies()).toEqual([request]);
});

test('`using` and `await using` close the connections of the client', async () => {
  const server = await serve([[json(200, { object: 'list', data: [] })]]);
  {
    using client = createClient({ baseUrl: server.url });
    expect(await client.listModels()).toEqual([]);
  }
  await server.idle();
  {
    await using client = createClient({ baseUrl: server.url });
    expect(await client.listModels()).toEqual([]);
  }
  await server.idle();
  expect(server.connections()).toBe(2);
});

test("the caller's options override the defaults", async () => {
  const server = await serve([[json(429, {})], [streamed('Hello')]]);
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
});

test('a proxy that the process or the options set is used', () => {
  vi.stubEnv('HTTP_PROXY', 'ftp://proxy');
  vi.stubEnv('http_proxy', '');
  const baseUrl = 'http://api.example.com';
  const environment = { HTTP_PROXY: 'ftp://other' };
  expect(() => createClient({ baseUrl })).toThrow('ftp://proxy" in HTTP_PROXY');
  expect(() => createClient({ baseUrl, environment })).toThrow('ftp://other" in HTTP_PROXY');
});
