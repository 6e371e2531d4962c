import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  choice,
  chunk,
  delta,
  done,
  event,
  finish,
  head,
  lastChunk,
  response,
  streamed,
  streamHead,
} from '../support/raw-replies.ts';
import { fin, type Reply } from '../support/raw-server.ts';
import { serveClient } from '../support/serve.ts';
import { beginChat, failureOf, prompt, runChat } from '../support/run-chat.ts';

const greeting = delta('Hel') + delta('lo') + done;

test('yields the events in order, with times of the monotonic clock', async () => {
  const { server, client, clock } = await serveClient([
    [() => clock.advance(18), streamHead({ 'x-request-id': 'abc' }), chunk(greeting), lastChunk],
  ]);
  const run = await runChat({ client, clock });
  expect(run.events).toEqual([
    { type: 'answer-started', attempt: 1, requestId: 'abc' },
    { type: 'answer-named', id: 'chatcmpl-1' },
    { type: 'text-received', text: 'Hello', deltas: ['Hel', 'lo'] },
    {
      type: 'answer-finished',
      id: 'chatcmpl-1',
      attempts: 1,
      timing: { firstText: 18, total: 18 },
    },
  ]);
  expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
  expect(server.requests[0]?.headers).toMatchObject({
    authorization: 'Bearer test-key-1234',
    'content-type': 'application/json',
  });
});

const streamType = { 'content-type': 'text/event-stream' };
const whole = streamed('Hello');
const malformed = [streamHead(), chunk(delta('Hello')), Buffer.from('zz\r\nnot a chunk')];
const long = delta('Hello there, this is long enough to be seen');

test.each<[string, Reply]>([
  ['S18 a clean end of the body without [DONE]', [head(200, streamType), delta('Hel'), fin]],
  [
    'S50 a body shorter than its content-length',
    [head(200, { ...streamType, 'content-length': '9999' }), delta('Hel'), fin],
  ],
  [
    'S48 a cut of a compressed answer',
    [streamHead({ 'content-encoding': 'gzip' }), chunk(gzipSync(long)), fin],
  ],
  ['a malformed chunk in the same read', [Buffer.concat(malformed)]],
])('%s leaves the answer incomplete, with its text', async (_name, reply) => {
  const set = await serveClient([reply]);
  const run = await runChat(set);
  expect(run.text).toMatch(/^Hel/);
  expect(failureOf(run).kind).toBe('incomplete');
  expect(set.server.requests).toHaveLength(1);
});

const encoded = (encoding: string, compress: (text: string) => Buffer): [string, Reply] => {
  const body = compress(greeting);
  return [
    `S48 ${encoding}`,
    [response(200, { ...streamType, 'content-encoding': encoding }, body)],
  ];
};

test.each([
  encoded('gzip', gzipSync),
  encoded('x-gzip', gzipSync),
  encoded('deflate', deflateSync),
  encoded('br', brotliCompressSync),
  ['S54 a 103 before 200', ['HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n', whole]],
  ['stray bytes after it', [Buffer.concat([whole, Buffer.from('stray')])]],
])('%s: the whole answer is read', async (_name, reply) => {
  const run = await runChat(await serveClient([reply]));
  expect(run).toMatchObject({ text: 'Hello', error: undefined });
});

const upgraded = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n';
const damaged = 'this is not compressed at all';

// The clock of these clients does not advance: a time limit would never end the request.
test.each<[string, Reply, RegExp, number?]>([
  ['S48 damaged gzip', [response(200, { 'content-encoding': 'gzip' }, damaged)], /is damaged$/],
  ['S48 damaged br', [response(200, { 'content-encoding': 'br' }, damaged)], /is damaged$/],
  ['S48 an unknown encoding', [response(200, { 'content-encoding': 'zstd' }, 'x')], /\(zstd\)/],
  ['S49 a 204', [head(204)], /sent no content/],
  ['a 101 that was not asked for', [upgraded], /closed the connection before the response/, 2],
  [
    'a head whose lines end without a carriage return',
    [streamed('Hi').toString().replaceAll('\r\n', '\n')],
    /is not HTTP/,
  ],
  ['F2 a bad size of a chunk', [streamHead(), 'zz\r\n'], /^the response of \S+ is malformed/],
  [
    'F2 a bad size after text',
    [streamHead(), chunk(delta('Hel')), 50, 'zz\r\n'],
    /incomplete: .* malformed/,
  ],
])('%s is a failure', async (_name, reply, message, requests = 1) => {
  const set = await serveClient([reply], { retries: 1 });
  const failure = failureOf(await runChat(set));
  expect(failure.message).toMatch(message);
  expect(failure.kind).toMatch(/^(?:server_error|unreachable|incomplete)$/);
  expect(set.server.requests).toHaveLength(requests);
});

test('the time that a reader takes does not count as silence of the service', async () => {
  const { client, clock } = await serveClient(
    [[streamHead(), chunk(delta('a')), 20, chunk(done), lastChunk]],
    {
      idleTimeout: 3000,
    },
  );
  const iterator = await beginChat(client, 3);
  // A reader that never returns must not keep its program running.
  expect(clock.sleeping()).toBe(0);
  await clock.advance(60_000);
  expect((await iterator.next()).value).toMatchObject({ type: 'answer-finished' });
});

test.each(['answer-started', 'text-received'])(
  'closes the connection when the reader stops at %s',
  async (last) => {
    const { server, client, clock } = await serveClient([[streamHead(), chunk(delta('Hel'))]]);
    for await (const { type } of client.chat(prompt)) if (type === last) break;
    await clock.advance(50);
    await server.idle();
    expect(server.open()).toBe(0);
  },
);

test('an abort during the answer throws the reason and closes the connection', async () => {
  const { server, client } = await serveClient([[streamHead(), chunk(delta('Hel'))]]);
  const stop = new AbortController();
  const iterator = await beginChat(client, 3, { signal: stop.signal });
  const next = iterator.next();
  const reason = new Error('interrupted');
  stop.abort(reason);
  await expect(next).rejects.toBe(reason);
  await server.idle();
});

test('yields nothing that was read before an abort after it', async () => {
  const { client } = await serveClient([[streamHead(), chunk(delta('Hel'))]]);
  const stop = new AbortController();
  const iterator = await beginChat(client, 2, { signal: stop.signal });
  const reason = new Error('interrupted');
  stop.abort(reason);
  await expect(iterator.next()).rejects.toBe(reason);
});

test('a slow reader slows the network', async () => {
  const piece = chunk(delta('x'.repeat(64 * 1024)));
  let sent = 0;
  const pieces = Array.from({ length: 1000 }, () => [piece, () => (sent += 1)]).flat();
  const { client } = await serveClient([[streamHead(), ...pieces]]);
  const iterator = await beginChat(client, 2);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(sent).toBeLessThan(500);
  await iterator.return?.();
});

test.each([
  ['plain', {}, Buffer.from(delta('Hel'))],
  ['compressed', { 'content-encoding': 'gzip' }, gzipSync(delta('Hel'))],
])('R21 keeps %s text before a cut although its reader is late', async (_name, headers, body) => {
  const reply = Buffer.concat([streamHead(headers), chunk(body)]);
  const { server, client } = await serveClient([[reply, fin]]);
  const events = client.chat(prompt)[Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ type: 'answer-started' });
  await server.idle();
  expect((await events.next()).value).toEqual({ type: 'answer-named', id: 'chatcmpl-1' });
  expect((await events.next()).value).toMatchObject({ type: 'text-received', text: 'Hel' });
  await expect(events.next()).rejects.toMatchObject({ kind: 'incomplete' });
  expect(server.requests).toHaveLength(1);
});

const reply = (...events: readonly string[]) => [
  response(200, { ...streamType, 'x-request-id': 'r1' }, events.join('')),
];

test.each([
  ['a filter', choice({ delta: { content: 'Hel' } }), 'content_filter', 'filtered'],
  ['a refusal', choice({ delta: { refusal: 'No.' } }), 'stop', 'refused'],
  ['a tool call', choice({ delta: { tool_calls: [{ index: 0 }] } }), 'stop', 'called a tool'],
])(
  'X23: %s is no_answer after the end of the answer, and is not sent again',
  async (_, part, reason, message) => {
    const set = await serveClient([reply(part, finish(reason), done)]);
    const run = await runChat(set);
    expect(run.events.at(-1)).toMatchObject({ type: 'answer-finished', finishReason: reason });
    expect(failureOf(run)).toMatchObject({ kind: 'no_answer', requestId: 'r1' });
    expect(failureOf(run).message).toContain(message);
    expect(set.server.requests).toHaveLength(1);
  },
);

test.each([
  ['[DONE] alone', ''],
  ['an id and [DONE]', event({ id: 'a', choices: [] })],
])('N10: a stream of %s is incomplete, and is not sent again', async (_what, start) => {
  const set = await serveClient([reply(start, done)]);
  expect(failureOf(await runChat(set))).toMatchObject({
    kind: 'incomplete',
    message: 'the answer is incomplete: the service sent neither text nor a finish_reason',
  });
  expect(set.server.requests).toHaveLength(1);
});
