import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as tick } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ClientOptions } from '../../src/client/client.ts';
import { nodeNetwork } from '../../src/client/http/node/node-network.ts';
import { createJournal } from '../../src/conversation/journal/open-journal.ts';
import { appendFile } from '../../src/storage/append-file.ts';
import { journalOptions } from '../conversation/journal-fixtures.ts';
import { streamed } from '../support/raw-replies.ts';
import {
  afterBody,
  createTestClient,
  failureOf,
  prompt,
  runChat,
  testKey,
} from '../support/run-chat.ts';
import type { RawServer } from '../support/raw-server.ts';
import { serve, serveClient } from '../support/serve.ts';

const early = { connectEarly: true, network: nodeNetwork };

test('the connection opens while the prompt is being flushed to the disk, and the prompt uses it', async () => {
  const { server, client, clock } = await serveClient([[streamed('Hi')]], early);
  let endFlush = () => {};
  const flushed = new Promise<void>((resolve) => {
    endFlush = resolve;
  });
  const file = { ...appendFile, synchronize: () => flushed };
  const journal = createJournal(journalOptions(), file);
  journal.addTurn({ role: 'user', content: 'Hi' });
  await server.connected(1);
  expect(server.requests).toEqual([]);
  endFlush();
  await journal.close();
  expect((await runChat({ client, clock })).text).toBe('Hi');
  const body = JSON.stringify(prompt);
  expect(server.requests).toMatchObject([
    {
      method: 'POST',
      path: '/v1/chat/completions',
      connection: 1,
      body,
      headers: { authorization: `Bearer ${testKey}`, 'content-length': String(body.length) },
    },
  ]);
});

test('over TLS, the handshake is done before the prompt is sent', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = await serve([[streamed('Hi')]], { tls: true });
  const { client, clock } = createTestClient(server.url, early);
  onTestFinished(() => client.close());
  await server.connected(1);
  expect((await runChat({ client, clock })).text).toBe('Hi');
  expect(server.connections()).toBe(1);
});

test('a second prompt opens a connection of its own', async () => {
  const { server, client, clock } = await serveClient([[streamed('Hi')]], early);
  expect((await runChat({ client, clock })).text).toBe('Hi');
  await afterBody();
  expect((await runChat({ client, clock })).text).toBe('Hi');
  expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2]);
});

/** A URL that leads to the server, except for the first connection; `done` resolves with the promise of `onFirst`. */
async function leadTo(server: RawServer, onFirst: (first: Socket) => Promise<unknown>) {
  let isFirst = true;
  let resolve = (_done: Promise<unknown>) => {};
  const done = new Promise<unknown>((settle) => {
    resolve = settle;
  });
  const front = createServer((socket) => {
    if (isFirst) resolve(onFirst(socket));
    else socket.pipe(connect(server.port, '127.0.0.1')).pipe(socket);
    isFirst = false;
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void front.close());
  await once(front, 'listening');
  return { url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`, done };
}

test.each([
  // The client closes its side when it has seen the end of this one.
  ['is closed', (first: Socket) => once(first.resume().end(), 'close')],
  [
    'has sent bytes',
    (first: Socket) => {
      first.write('HTTP/1.1 ');
      return afterBody();
    },
  ],
])('a connection that %s before the prompt is replaced without a retry', async (_name, onFirst) => {
  const server = await serve([[streamed('Hi')]]);
  const { url, done } = await leadTo(server, onFirst);
  const { client, clock } = createTestClient(url, early);
  onTestFinished(() => client.close());
  await done;
  const run = await runChat({ client, clock });
  expect(run).toMatchObject({ text: 'Hi', delays: [], error: undefined });
});

test('the request is the same as without it', async () => {
  const requestOf = async (options: Partial<ClientOptions>) => {
    const headers = { 'x-note': 'caf\u00e9' };
    const { server, client, clock } = await serveClient([[streamed('Hi')]], {
      headers,
      ...options,
    });
    await runChat({ client, clock });
    const [{ path, headers: sent, body } = {}] = server.requests;
    return { path, body, headers: { ...sent, host: sent?.['host'] === new URL(server.url).host } };
  };
  const withoutIt = { network: nodeNetwork, connectEarly: false };
  expect(await requestOf(early)).toEqual(await requestOf(withoutIt));
});

test.each(['Connection', 'Expect', 'Host'])(
  'a request with the header %s of the user is sent with node:http',
  async (name) => {
    const headers = { [name]: 'close' };
    const { server, client, clock } = await serveClient([[streamed('Hi')]], { headers, ...early });
    await server.connected(1);
    expect((await runChat({ client, clock })).text).toBe('Hi');
    expect(server.requests.map(({ connection }) => connection)).toEqual([2]);
  },
);

/** Nothing listens at the first two; DNS has no name with an empty part. */
const unreachable = async (target: string) => {
  if (target.includes('a..b')) return target;
  const server = await serve([]);
  await server.stop();
  return `${target}:${server.port}`;
};

test.each([
  'http://127.0.0.1',
  'https://127.0.0.1',
  'https://localhost',
  'http://a..b',
  'https://a..b',
])('the failure of a connection to %s is the same as without it', async (target) => {
  const url = await unreachable(target);
  const run = async (options: Partial<ClientOptions>, turns: number) => {
    const { client, clock } = createTestClient(url, { ...options, allowInsecure: true });
    onTestFinished(() => client.close());
    for (let turn = 0; turn < turns; turn += 1) await tick();
    const { events, delays, error } = await runChat({ client, clock });
    const { kind, message, attempts } = failureOf({ error });
    return { events, delays, kind, message, attempts };
  };
  const failed = await run({ network: nodeNetwork }, 0);
  expect(failed).toMatchObject({
    message: expect.stringMatching(/refused|not found/),
    attempts: 1,
  });
  expect(await run(early, 0)).toEqual(failed);
  expect(await run(early, 5)).toEqual(failed);
});

test('an unused connection closes with the client', async () => {
  const { server, client } = await serveClient([], early);
  await server.connected(1);
  client.close();
  await server.idle();
  expect(server.requests).toEqual([]);
});

/** Connections of a server after all that were opened before this call. */
async function connectionsTo(server: Awaited<ReturnType<typeof serve>>): Promise<number> {
  const before = server.connections();
  const socket = connect(server.port, '127.0.0.1');
  await server.connected(before + 1);
  socket.destroy();
  return server.connections() - 1;
}

test('a client that is closed at once opens no connection', async () => {
  const { server, client } = await serveClient([], early);
  client.close();
  expect(await connectionsTo(server)).toBe(0);
});

test('a proxy and a different transport get no early connection', async () => {
  const server = await serve([]);
  const environment = { http_proxy: server.url };
  const options = [
    ['http://service.test', { environment, allowInsecure: true }],
    [server.url, { transport: () => () => Promise.reject(new Error('not sent')) }],
  ] as const;
  for (const [url, each] of options) createTestClient(url, { ...each, ...early });
  expect(await connectionsTo(server)).toBe(0);
});
