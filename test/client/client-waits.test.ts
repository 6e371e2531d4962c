import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { json, streamed } from '../support/raw-replies.ts';
import { beginChat, failureOf, prompt, runChat } from '../support/run-chat.ts';
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
