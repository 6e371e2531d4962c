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
import { fin } from '../support/raw-server.ts';
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

test('S18 a clean end of the body without [DONE] leaves the answer incomplete', async () => {
  const begin = head(200, { 'content-type': 'text/event-stream' });
  const set = await serveClient([[begin, delta('Hel'), fin]]);
  const run = await runChat(set);
  expect(run.text).toBe('Hel');
  expect(failureOf(run).kind).toBe('incomplete');
  expect(set.server.requests).toHaveLength(1);
});

test('S18 a clean end before any text is retried', async () => {
  const run = await runChat(
    await serveClient([[streamHead(), chunk(': hi\n\n'), lastChunk], [streamed('Hello')]]),
  );
  expect(run.text).toBe('Hello');
});

test('S50 a body shorter than its content-length leaves the answer incomplete', async () => {
  const headers = { 'content-type': 'text/event-stream', 'content-length': '9999' };
  const run = await runChat(await serveClient([[head(200, headers), delta('Hel'), fin]]));
  expect(run.text).toBe('Hel');
  expect(failureOf(run).kind).toBe('incomplete');
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

test('S48 keeps the text of a compressed answer that is cut', async () => {
  const body = gzipSync(delta('Hello there, this is long enough to be seen'));
  const reply = [streamHead({ 'content-encoding': 'gzip' }), chunk(body), fin] as const;
  const run = await runChat(await serveClient([reply]));
  expect(run.text).toContain('Hello there');
  expect(failureOf(run).kind).toBe('incomplete');
});

test.each(['gzip', 'br'])('S48 damaged %s is a failure', async (encoding) => {
  const headers = { 'content-type': 'text/event-stream', 'content-encoding': encoding };
  const set = await serveClient([[response(200, headers, 'this is not compressed at all')]]);
  expect(failureOf(await runChat(set)).message).toBe('the compressed answer is damaged');
});

test('S48 an unknown encoding is a failure that names it', async () => {
  const set = await serveClient([[response(200, { 'content-encoding': 'zstd' }, 'x')]]);
  expect(failureOf(await runChat(set)).message).toContain('(zstd)');
});

test('S49 a 204 is a failure', async () => {
  expect(failureOf(await runChat(await serveClient([[head(204)]]))).kind).toBe('server_error');
});

test('S54 ignores 103 before 200', async () => {
  const early = 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n';
  expect((await runChat(await serveClient([[early, streamed('Hello')]]))).text).toBe('Hello');
});

const upgraded = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n';

// The clock of these clients does not advance: a time limit would never end the request.
test('a 101 that was not asked for is a closed connection', async () => {
  const { client, clock } = await serveClient([[upgraded]], { retries: 0 });
  const { kind, message } = failureOf(await runChat({ client, clock }));
  expect(kind).toBe('unreachable');
  expect(message).toContain('closed the connection before the response');
});

test('a head whose lines end without a carriage return is not HTTP', async () => {
  const reply = streamed('Hi').toString().replaceAll('\r\n', '\n');
  const { client, clock } = await serveClient([[reply]], { retries: 0 });
  const { kind, message } = failureOf(await runChat({ client, clock }));
  expect(kind).toBe('server_error');
  expect(message).toContain('is not HTTP');
});

test.each([
  [
    'before any text',
    [streamHead(), 'zz\r\n'],
    'server_error',
    /^the response of \S+ is malformed/,
  ],
  [
    'after text',
    [streamHead(), chunk(delta('Hel')), 50, 'zz\r\n'],
    'incomplete',
    /^the answer is incomplete: the response of \S+ is malformed/,
  ],
] as const)(
  'F2 a bad size of a chunk %s is malformed, and final',
  async (_when, reply, kind, text) => {
    const { server, client, clock } = await serveClient([reply, [streamed('Hi')]]);
    const failure = failureOf(await runChat({ client, clock }));
    expect(failure.kind).toBe(kind);
    expect(failure.message).toMatch(text);
    expect(server.requests).toHaveLength(1);
  },
);
