import { setImmediate as tick, setTimeout as sleep } from 'node:timers/promises';
import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import {
  chunk,
  delta,
  done,
  event,
  json,
  lastChunk,
  streamed,
  streamHead,
} from '../support/raw-replies.ts';
import { fin, type Reply, reset } from '../support/raw-server.ts';
import {
  afterBody,
  beginChat,
  createTestClient,
  failureOf,
  prompt,
  runChat,
} from '../support/run-chat.ts';
import { serve, serveClient } from '../support/serve.ts';
import { collectAnswer } from '../../src/client/collect-answer.ts';
import { systemClock } from '../../src/clock.ts';
import { Failure } from '../../src/failure.ts';

const limited = (headers: Readonly<Record<string, string>> = {}) =>
  json(429, { error: { name: 'rate_limited', detail: 'slow down' } }, headers);
const broken = json(500, { error: { name: 'server_error' } });
const answer = streamed('Hello');

test('R1 retries a 429 four times with backoff, then fails', async () => {
  const set = await serveClient([[limited()]]);
  const run = await runChat(set);
  expect(run.delays).toEqual([500, 1000, 2000, 4000]);
  expect(set.server.requests).toHaveLength(5);
  expect(failureOf(run)).toMatchObject({ kind: 'rate_limited', status: 429, attempts: 5 });
  expect(failureOf(run).message).toContain('slow down (5 attempts)');
});

test('R12 R28 yields one answer after two failures, and sends the same bytes each time', async () => {
  const set = await serveClient([[broken], [broken], [answer]]);
  const run = await runChat(set);
  expect(run.text).toBe('Hello');
  expect(run.events.at(-1)).toMatchObject({ type: 'answer-finished', attempts: 3 });
  const sent = JSON.stringify(prompt);
  expect(set.server.requests.map(({ body }) => body)).toEqual([sent, sent, sent]);
});

test.each([0, 2])('R13 R27 sends exactly one request more than %d retries', async (retries) => {
  const set = await serveClient([[broken]], { retries });
  const run = await runChat(set);
  expect(set.server.requests).toHaveLength(retries + 1);
  expect(failureOf(run)).toMatchObject({ kind: 'server_error', attempts: retries + 1 });
});

test('R19 a second prompt succeeds after the server closed the idle connection', async () => {
  const set = await serveClient([[answer, fin], [answer]]);
  expect((await runChat(set)).text).toBe('Hello');
  expect((await runChat(set)).text).toBe('Hello');
});

test('reuses a connection for the next prompt', async () => {
  const set = await serveClient([[answer]]);
  await runChat(set);
  await afterBody();
  await runChat(set);
  expect(set.server.connections()).toBe(1);
});

test.each([
  ['FIN', 0, fin],
  ['RST', 150, reset],
] as const)('R21 keeps the text before a %s and does not retry', async (_name, pause, end) => {
  const set = await serveClient([[streamHead(), chunk(delta('Hel')), pause, end], [answer]]);
  const run = await runChat(set);
  expect(run.text).toBe('Hel');
  expect(failureOf(run)).toMatchObject({ kind: 'incomplete', attempts: 1 });
  expect(failureOf(run).message).toMatch(/^the answer is incomplete: .*closed the connection/);
  expect(set.server.requests).toHaveLength(1);
});

const cutAfter = (body: string): Reply => [streamHead(), chunk(body), fin];
const limitEvent = event({ error: { name: 'rate_limited' } });

test.each([
  ['R18 a FIN before the headers', [fin]],
  ['R18 a RST before the headers', [reset]],
  ['R18 a FIN inside the headers', ['HTTP/1.1 200 OK\r\ncontent-', fin]],
  ['R22 a cut right after the headers', [streamHead(), fin]],
  ['R22 a cut after a comment', [streamHead(), chunk(': wait\n\n'), 150, reset]],
  ['R22 a cut after a role', cutAfter(event({ choices: [{ delta: { role: 'assistant' } }] }))],
  ['R22 a cut after a chunk without choices', cutAfter(event({ id: 'a', choices: [] }))],
  ['S13 a rate limit in the first event', [streamHead(), chunk(limitEvent), lastChunk]],
  ['S18 a clean end before any text', [streamHead(), chunk(': hi\n\n'), lastChunk]],
] as const)('%s is retried without repeating text', async (_name, reply) => {
  const run = await runChat(await serveClient([reply, [answer]]));
  expect(run).toMatchObject({ text: 'Hello', delays: [500], error: undefined });
});

test('R2 does not retry before the wait is over', async () => {
  const { server, client, clock } = await serveClient([
    [limited({ 'retry-after': '1' })],
    [answer],
  ]);
  const events = client.chat(prompt)[Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ type: 'retry-scheduled', retry: 1 });
  const next = events.next();
  await tick();
  await clock.advance(999);
  await tick();
  expect(server.requests).toHaveLength(1);
  await clock.advance(1);
  expect((await next).value).toEqual({ type: 'answer-started', attempt: 2 });
  await events.return?.();
});

test.each(['120', '999999999999', 'Infinity'])(
  'R9 does not wait for Retry-After "%s", but reports it',
  async (text) => {
    const set = await serveClient([[limited({ 'retry-after': text })]]);
    const failure = failureOf(await runChat(set));
    expect(set.server.requests).toHaveLength(1);
    expect(failure.kind).toBe('rate_limited');
    expect(failure.message).toMatch(
      /Retry-After is (2 minutes, until \d\d:\d\d:\d\d|more than a year)$/,
    );
  },
);

test('R2 ends the wait when the caller hurries, and waits again after the next refusal', async () => {
  const refusal = limited({ 'retry-after': '30' });
  const { server, client } = await serveClient([[refusal], [refusal], [answer]]);
  const wake: (() => void)[] = [];
  const hurry = () => new Promise<void>((resolve) => wake.push(resolve));
  const events = client.chat(prompt, { hurry })[Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ type: 'retry-scheduled', retry: 1 });
  const second = events.next();
  await tick();
  expect(server.requests).toHaveLength(1);
  wake[0]?.();
  expect((await second).value).toMatchObject({ type: 'retry-scheduled', retry: 2 });
  const third = events.next();
  await tick();
  expect(server.requests).toHaveLength(2);
  wake[1]?.();
  expect((await third).value).toEqual({ type: 'answer-started', attempt: 3 });
  await events.return?.();
});

test('R2 a caller that may hurry can still stop', async () => {
  const stop = new AbortController();
  const { client } = await serveClient([[limited({ 'retry-after': '1' })]]);
  const options = { hurry: () => new Promise<void>(() => undefined), signal: stop.signal };
  const events = await beginChat(client, 1, options);
  const end = events.next();
  await tick();
  stop.abort(new Error('enough'));
  await expect(end).rejects.toThrow('enough');
});

/** Long enough for a busy machine. */
const patience = { timeout: 60_000 };

test('R20 fails at the first-byte limit without a retry', async () => {
  const { server, client, clock } = await serveClient([[]], { firstByteTimeout: 5000 });
  const running = runChat({ client, clock });
  await server.received(1);
  await clock.advance(4999);
  await tick();
  expect(server.open()).toBe(1);
  await clock.advance(1);
  const failure = failureOf(await running);
  expect(failure).toMatchObject({ kind: 'unreachable', attempts: 1 });
  expect(failure.message).toContain('sent no response within 5 seconds');
  await server.idle();
});

test('R23 ends a backoff at once when aborted, and sends nothing more', async () => {
  const { server, client, clock } = await serveClient([[broken]]);
  const stop = new AbortController();
  const reason = new Error('interrupted');
  const events = await beginChat(client, 1, { signal: stop.signal });
  const next = events.next();
  await tick();
  stop.abort(reason);
  await expect(next).rejects.toBe(reason);
  await clock.advance(60_000);
  await tick();
  expect(server.requests).toHaveLength(1);
  expect(clock.sleeping()).toBe(0);
});

test('R26 the total limit ends the retries', async () => {
  const set = await serveClient([[broken]], { totalTimeout: 2000, retries: 50 });
  const run = await runChat(set);
  expect(run.delays).toEqual([500, 1000, 2000]);
  expect(failureOf(run).kind).toBe('unreachable');
  expect(failureOf(run).message).toMatch(
    /^the answer was not complete within 2 seconds; the last attempt failed: the service failed \(500\)/,
  );
  expect(failureOf(run).attempts).toBe(3);
});

test('R29 fifty failed attempts leave no open connection and no listener', async () => {
  const set = await serveClient([[reset]], { retries: 49 });
  const stop = new AbortController();
  const run = await runChat(set, { signal: stop.signal });
  expect(failureOf(run).attempts).toBe(50);
  expect(set.server.requests).toHaveLength(50);
  await set.server.idle();
  await tick();
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  expect(set.clock.sleeping()).toBe(0);
});

test('R29 fifty error bodies share one connection', async () => {
  const set = await serveClient([[broken]], { retries: 49 });
  await runChat(set);
  expect(set.server.requests).toHaveLength(50);
  expect(set.server.connections()).toBeLessThanOrEqual(2);
});

test('R29 an answer leaves no timer', async () => {
  const choices = [{ message: { content: 'Hello' }, finish_reason: 'stop' }];
  const set = await serveClient([[json(200, { choices })]]);
  expect((await runChat(set)).text).toBe('Hello');
  expect(set.clock.sleeping()).toBe(0);
});

test('R32 sends nothing when already aborted', async () => {
  const set = await serveClient([[answer]]);
  const reason = new Error('too late');
  const run = await runChat(set, { signal: AbortSignal.abort(reason) });
  expect(run.error).toBe(reason);
  expect(set.server.connections()).toBe(0);
});

test.each([
  ['R26 the total limit', 'totalTimeout', 'the answer was not complete within 3 seconds'],
  [
    'S41 the idle limit',
    'idleTimeout',
    'the answer is incomplete: the service sent no content for 3 seconds',
  ],
])('%s ends an answer that stalls', async (_limit, option, message) => {
  const reply = [streamHead(), chunk(delta('Hel'))];
  const { server, client, clock } = await serveClient([reply], { [option]: 3000 });
  const iterator = await beginChat(client, 3);
  const next = iterator.next();
  await tick();
  await clock.advance(2999);
  expect(server.open()).toBe(1);
  await Promise.all([
    expect(next).rejects.toMatchObject({ kind: 'incomplete', message }),
    clock.advance(1),
  ]);
  await server.idle();
});

test('S42 comments do not extend the idle limit', async () => {
  const { server, client, clock } = await serveClient(
    [
      [
        streamHead(),
        chunk(': 1\n\n'),
        // The only remaining sleep is the timer of the idle limit.
        () => vi.waitUntil(() => clock.sleeping() === 1, patience),
        () => clock.advance(2000),
        chunk(': 2\n\n'),
        20,
        () => clock.advance(2000),
      ],
    ],
    { idleTimeout: 3000, connectTimeout: 0, firstByteTimeout: 0 },
  );
  const failure = failureOf(await runChat({ client, clock }));
  expect(failure.message).toBe('the service sent no content for 3 seconds');
  expect(failure.kind).toBe('unreachable');
  expect(server.requests).toHaveLength(1);
});

test('S43 waits 90 s for the first token by default', async () => {
  const { client, clock } = await serveClient([[() => clock.advance(90_000), streamed('Hello')]]);
  expect((await runChat({ client, clock })).text).toBe('Hello');
});

const timeouts = ['connectTimeout', 'firstByteTimeout', 'idleTimeout', 'totalTimeout'] as const;
const durations = [...timeouts, 'retryWaitLimit'] as const;

const eachAt = (limit: number) => Object.fromEntries(timeouts.map((name) => [name, limit]));

test.each([Infinity, 2 ** 31, 2 ** 53])(
  'X22: time limits of %d milliseconds do not end a request',
  async (limit) => {
    const reply = [30, streamHead(), 30, chunk(delta('Hel')), 30, chunk(delta('lo') + done)];
    const server = await serve([[...reply, lastChunk]]);
    const { client } = createTestClient(server.url, { clock: systemClock, ...eachAt(limit) });
    const { text } = await collectAnswer(client.chat(prompt));
    expect(text).toBe('Hello');
  },
);

test('X22: infinite time limits start no timer', async () => {
  const { client, clock, server } = await serveClient([[]], eachAt(Infinity));
  const stop = new AbortController();
  const running = runChat({ client, clock }, { signal: stop.signal });
  await server.received(1);
  await sleep(0);
  expect(clock.sleeping()).toBe(0);
  stop.abort(new Error('enough'));
  await running;
});

describe.each([...durations, 'retries'] as const)('X22: %s', (name) => {
  test.each([Number.NaN, -1, -Infinity, '5' as unknown as number])(
    'of %s is a configuration failure that names the option',
    (value) => {
      const create = () => createTestClient('http://127.0.0.1:1', { [name]: value });
      expect(create).toThrow(Failure);
      expect(create).toThrow(new RegExp(`^${name} is ${String(value)}, which is not `));
      expect(create).toThrow(expect.objectContaining({ kind: 'configuration' }));
    },
  );
});

test('X22: half a retry is a configuration failure', () => {
  expect(() => createTestClient('http://127.0.0.1:1', { retries: 1.5 })).toThrow('a whole number');
});
