import { getEventListeners } from 'node:events';
import { setImmediate as tick, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import {
  chunk,
  delta,
  done,
  json,
  lastChunk,
  streamHead,
  streamed,
} from '../support/raw-replies.ts';
import { reset } from '../support/raw-server.ts';
import { serve, serveClient } from '../support/serve.ts';
import { beginChat, createTestClient, failureOf, prompt, runChat } from '../support/run-chat.ts';
import { collectAnswer } from '../../src/client/collect-answer.ts';
import { systemClock } from '../../src/clock.ts';
import { Failure } from '../../src/failure.ts';

/** Long enough for a busy machine. */
const patience = { timeout: 60_000 };

const broken = json(500, { error: { name: 'server_error' } });
const answer = streamed('Hello');

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

test('R26 an answer ended by the total limit is incomplete', async () => {
  const { client, clock } = await serveClient([[streamHead(), chunk(delta('Hel'))]], {
    totalTimeout: 2000,
  });
  const events = await beginChat(client, 2);
  expect((await events.next()).value).toMatchObject({ text: 'Hel' });
  const next = events.next();
  await Promise.all([
    expect(next).rejects.toMatchObject({ kind: 'incomplete' }),
    clock.advance(2000),
  ]);
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

test('S41 a stalled answer ends at the idle limit', async () => {
  const { server, client, clock } = await serveClient([[streamHead(), chunk(delta('Hel'))]], {
    idleTimeout: 3000,
  });
  const iterator = await beginChat(client, 3);
  const next = iterator.next();
  await tick();
  await clock.advance(2999);
  expect(server.open()).toBe(1);
  await Promise.all([
    expect(next).rejects.toMatchObject({
      kind: 'incomplete',
      message: 'the answer is incomplete: the service sent no content for 3 seconds',
    }),
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
