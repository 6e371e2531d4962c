import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { json, streamed } from '../support/raw-replies.ts';
import { failureOf, prompt, runChat } from '../support/run-chat.ts';
import { serveClient } from '../support/serve.ts';

const limited = (headers: Readonly<Record<string, string>> = {}) =>
  json(429, { error: { name: 'rate_limited', detail: 'slow down' } }, headers);
const answer = streamed('Hello');

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
