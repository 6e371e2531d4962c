import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { chunk, delta, event, json, streamHead, streamed } from '../support/raw-replies.ts';
import { fin, reset } from '../support/raw-server.ts';
import {
  afterBody,
  beginChat,
  createTestClient,
  failureOf,
  prompt,
  runChat,
} from '../support/run-chat.ts';
import { serve, serveClient } from '../support/serve.ts';

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

test('R15 sends one request for a status that a retry does not cure', async () => {
  const set = await serveClient([[json(400, {})], [answer]]);
  expect(failureOf(await runChat(set)).status).toBe(400);
  expect(set.server.requests).toHaveLength(1);
});

test('R17 does not retry a refused connection, and names host and port', async () => {
  const server = await serve([]);
  await server.stop();
  const { port } = server;
  const run = await runChat(createTestClient(`http://127.0.0.1:${port}`));
  expect(run.delays).toEqual([]);
  expect(failureOf(run).kind).toBe('unreachable');
  expect(failureOf(run).message).toBe(`cannot reach 127.0.0.1:${port}: the connection was refused`);
});

test.each([
  ['FIN', [fin]],
  ['RST', [reset]],
  ['FIN inside the headers', ['HTTP/1.1 200 OK\r\ncontent-', fin]],
] as const)('R18 retries after a %s before the headers', async (_name, reply) => {
  const set = await serveClient([reply, [answer]]);
  const run = await runChat(set);
  expect(run).toMatchObject({ text: 'Hello', delays: [500] });
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

test.each([
  ['R22 right after the headers', [streamHead(), fin]],
  ['R22 after a comment', [streamHead(), chunk(': wait\n\n'), 150, reset]],
  [
    'R22 after a role',
    [streamHead(), chunk(event({ choices: [{ delta: { role: 'assistant' } }] })), fin],
  ],
  [
    'R22 after a chunk without choices',
    [streamHead(), chunk(event({ id: 'a', choices: [] })), fin],
  ],
] as const)('%s, a cut is retried without repeating text', async (_name, reply) => {
  const run = await runChat(await serveClient([reply, [answer]]));
  expect(run).toMatchObject({ text: 'Hello', delays: [500], error: undefined });
  expect(run.events.filter(({ type }) => type === 'answer-started')).toHaveLength(2);
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
