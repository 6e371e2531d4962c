import { expect, test } from 'vitest';
import { chunk, delta, event, json, streamed, streamHead } from '../support/raw-replies.ts';
import { fin, reset } from '../support/raw-server.ts';
import { afterBody, createTestClient, failureOf, prompt, runChat } from '../support/run-chat.ts';
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

test('R12 yields one answer after two failures', async () => {
  const run = await runChat(await serveClient([[broken], [broken], [answer]]));
  expect(run.text).toBe('Hello');
  expect(run.events.at(-1)).toMatchObject({ type: 'answer-finished', attempts: 3 });
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

test('R28 sends the same bytes each time', async () => {
  const set = await serveClient([[broken], [broken], [answer]]);
  await runChat(set);
  const sent = JSON.stringify(prompt);
  expect(set.server.requests.map(({ body }) => body)).toEqual([sent, sent, sent]);
});
