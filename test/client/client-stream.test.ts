import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  chunk,
  delta,
  done,
  event,
  head,
  lastChunk,
  response,
  streamHead,
  streamed,
} from '../support/raw-replies.ts';
import { fin, type Reply } from '../support/raw-server.ts';
import { serveClient } from '../support/serve.ts';
import { failureOf, runChat } from '../support/run-chat.ts';

const events = delta('Hel') + delta('lo') + done;

test('yields the events in order, with times of the monotonic clock', async () => {
  const { server, client, clock } = await serveClient([
    [() => clock.advance(18), streamHead({ 'x-request-id': 'abc' }), chunk(events), lastChunk],
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

test('S13 fails without a retry when the first event is an error', async () => {
  const error = event({ error: { name: 'invalid_request', detail: 'too long' } });
  const set = await serveClient([[streamHead(), chunk(error), lastChunk]]);
  const failure = failureOf(await runChat(set));
  expect(failure.kind).toBe('invalid_request');
  expect(failure.message).toContain('too long');
  expect(set.server.requests).toHaveLength(1);
});

test('S13 retries a rate limit in the first event like a 429', async () => {
  const error = event({ error: { name: 'rate_limited' } });
  const run = await runChat(
    await serveClient([[streamHead(), chunk(error), lastChunk], [streamed('Hello')]]),
  );
  expect(run).toMatchObject({ text: 'Hello', delays: [500] });
});

test('S15 [DONE] ends the answer at once although the connection stays open', async () => {
  const set = await serveClient([[streamHead(), chunk(events)]]);
  expect(await runChat(set)).toMatchObject({ text: 'Hello', error: undefined });
  await set.clock.advance(50);
  await set.server.idle();
});

test('S18 a clean end before any text is retried', async () => {
  const run = await runChat(
    await serveClient([[streamHead(), chunk(': hi\n\n'), lastChunk], [streamed('Hello')]]),
  );
  expect(run.text).toBe('Hello');
});

const type = { 'content-type': 'text/event-stream' };
const long = delta('Hello there, this is long enough to be seen');

test.each<[string, Reply]>([
  ['S18 a clean end of the body without [DONE]', [head(200, type), delta('Hel'), fin]],
  [
    'S50 a body shorter than its content-length',
    [head(200, { ...type, 'content-length': '9999' }), delta('Hel'), fin],
  ],
  [
    'S48 a cut of a compressed answer',
    [streamHead({ 'content-encoding': 'gzip' }), chunk(gzipSync(long)), fin],
  ],
])('%s leaves the answer incomplete, with its text', async (_name, reply) => {
  const set = await serveClient([reply]);
  const run = await runChat(set);
  expect(run.text).toMatch(/^Hel/);
  expect(failureOf(run).kind).toBe('incomplete');
  expect(set.server.requests).toHaveLength(1);
});

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('S48 decodes %s', async (encoding, compress) => {
  const headers = { 'content-type': 'text/event-stream', 'content-encoding': encoding };
  const run = await runChat(await serveClient([[response(200, headers, compress(events))]]));
  expect(run).toMatchObject({ text: 'Hello', error: undefined });
});

test('S54 ignores 103 before 200', async () => {
  const early = 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n';
  expect((await runChat(await serveClient([[early, streamed('Hello')]]))).text).toBe('Hello');
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
    'F2 a bad size of a chunk after text',
    [streamHead(), chunk(delta('Hel')), 50, 'zz\r\n'],
    /^the answer is incomplete: the response of \S+ is malformed/,
  ],
])('%s is a failure', async (_name, reply, message, requests = 1) => {
  const set = await serveClient([reply], { retries: 1 });
  const failure = failureOf(await runChat(set));
  expect(failure.message).toMatch(message);
  expect(failure.kind).toMatch(/^(?:server_error|unreachable|incomplete)$/);
  expect(set.server.requests).toHaveLength(requests);
});
