import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { json, streamed } from '../support/raw-replies.ts';
import { failureOf, prompt, runChat } from '../support/run-chat.ts';
import { serveClient } from '../support/serve.ts';

const limited = (headers: Readonly<Record<string, string>> = {}) =>
  json(429, { error: { name: 'rate_limited', detail: 'slow down' } }, headers);
const answer = streamed('Hello');

test.each([
  ['R2', '1', 1000],
  ['R3', '0', 0],
  ['R4', '0.1', 100],
  ['R5', 'Fri, 20 Nov 2026 12:00:03 GMT', 3000],
  ['R6', 'Friday, 20-Nov-26 12:00:03 GMT', 3000],
  ['R6', 'Fri Nov 20 12:00:03 2026', 3000],
])('%s waits for Retry-After "%s": %d ms', async (_id, text, delay) => {
  const set = await serveClient([[limited({ 'retry-after': text })], [answer]]);
  const run = await runChat(set);
  expect(run).toMatchObject({ text: 'Hello', delays: [delay], error: undefined });
});

test.each([
  ['R7', 'Fri, 20 Nov 2026 11:59:00 GMT'],
  ['R7', '-1'],
  ['R8', 'soon'],
  ['R8', '0x10'],
  ['R8', '1m30s'],
])('%s waits its own backoff for Retry-After "%s"', async (_id, text) => {
  const set = await serveClient([[limited({ 'retry-after': text })], [answer]]);
  expect(await runChat(set)).toMatchObject({ text: 'Hello', delays: [500], error: undefined });
});

test('R24 R25 jitter varies the backoff, and never shortens Retry-After', async () => {
  const set = await serveClient([[limited()]], { random: Math.random, retries: 1 });
  const own: number[] = [];
  for (let prompts = 0; prompts < 20; prompts += 1) own.push(...(await runChat(set)).delays);
  expect(new Set(own).size).toBeGreaterThan(1);
  expect(own.filter((delay) => delay < 250 || delay > 1000)).toEqual([]);
  const told = await serveClient([[limited({ 'retry-after': '2' })]], {
    random: Math.random,
    retries: 4,
  });
  const { delays } = await runChat(told);
  expect(delays).toHaveLength(4);
  expect(delays.filter((delay) => delay < 2000)).toEqual([]);
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

test('R9 also has the wait as a number', async () => {
  const set = await serveClient([[limited({ 'retry-after': '120' })]]);
  expect(failureOf(await runChat(set)).retryAfterSeconds).toBe(120);
});

test('R10 prefers a retry-after-ms of 0 to Retry-After', async () => {
  const headers = { 'retry-after-ms': '0', 'retry-after': '50' };
  const run = await runChat(await serveClient([[limited(headers)], [answer]]));
  expect(run).toMatchObject({ text: 'Hello', delays: [0] });
});

test('R11 follows x-should-retry', async () => {
  const never = await serveClient([[json(500, {}, { 'x-should-retry': 'false' })]]);
  await runChat(never);
  expect(never.server.requests).toHaveLength(1);
  const again = await serveClient([[json(400, {}, { 'x-should-retry': 'true' })], [answer]]);
  expect((await runChat(again)).text).toBe('Hello');
});
