import { expect, test } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { head, json, response } from '../support/raw-replies.ts';
import { createTestClient, failureOf, runChat, testKey } from '../support/run-chat.ts';
import { serve, serveClient } from '../support/serve.ts';

test.each([301, 302, 303, 307, 308])(
  'K12 K13 a %d to another port gets neither key nor prompt, but is named',
  async (status) => {
    const target = await serve([[json(200, {})]]);
    const location = `${target.url}/v1/chat/completions?token=topsecret`;
    const set = await serveClient([[response(status, { location })]]);
    const failure = failureOf(await runChat(set));
    expect(failure.kind).toBe('configuration');
    expect(failure.message).toBe(
      `the service redirects (${status}) to ${target.url}/v1/chat/completions, which natter does not follow`,
    );
    expect(failure.hint).toContain(`natter config set base-url ${target.url}`);
    expect(target.connections()).toBe(0);
    expect(set.server.requests).toHaveLength(1);
    await set.server.idle();
  },
);

test('K13 a redirect without a target is a failure, too', async () => {
  const failure = failureOf(await runChat(await serveClient([[response(302)]])));
  expect(failure.message).toContain('without saying where to');
});

test('K13 masks a password in the target of a redirect', async () => {
  const location = 'https://user:topsecret@other.test/';
  const failure = failureOf(await runChat(await serveClient([[response(302, { location })]])));
  expect(`${failure.message} ${failure.hint}`).not.toContain('topsecret');
});

test.each([
  ['as it is', testKey],
  ['in base64', Buffer.from(testKey).toString('base64')],
])('K9 masks the key that a service echoes %s', async (_name, form) => {
  const set = await serveClient([[json(401, { error: { message: `bad key ${form}` } })]]);
  expect(failureOf(await runChat(set)).message).toMatch(/bad key \*\*\*=*$/);
});

test('K9 masks the key in the cause of a retry', async () => {
  const set = await serveClient([[json(500, { detail: `failed for ${testKey}` })]], { retries: 1 });
  const run = await runChat(set);
  expect(
    JSON.stringify(run.events.map((event) => 'cause' in event && event.cause.message)),
  ).toContain('failed for ***');
});

test('K9 masks the key in an error event', async () => {
  const body = `data: {"error":{"message":"no ${testKey}"}}\n\n`;
  const reply = response(200, { 'content-type': 'text/event-stream' }, body);
  expect(failureOf(await runChat(await serveClient([[reply]]))).message).toContain('no ***');
});

test('K9 masks a header that carries a secret, and no other', async () => {
  const headers = { 'x-api-key': 'header-secret', 'x-team': 'blue-team' };
  const set = await serveClient(
    [[json(500, { error: { message: 'header-secret of blue-team' } })]],
    { headers, retries: 0 },
  );
  expect(failureOf(await runChat(set)).message).toContain('*** of blue-team');
});

test('K10 a bad key stops before any request', async () => {
  const server = await serve([[json(200, {})]]);
  expect(() => createTestClient(server.url, { apiKey: 'a\nb' })).toThrow(Failure);
  expect(server.connections()).toBe(0);
});

test('K14 a key is not sent over plain http to another machine', () => {
  expect(() => createTestClient('http://service.test')).toThrow(/unencrypted to service.test:80/);
});

test('reads only the beginning of an endless error body', async () => {
  const set = await serveClient([
    [
      head(400, { 'content-type': 'text/plain' }),
      ...Array.from({ length: 100 }, () => 'x'.repeat(8192)),
    ],
  ]);
  const failure = failureOf(await runChat(set));
  expect(failure.kind).toBe('invalid_request');
  expect(failure.message.length).toBeLessThan(700);
});

test('tells an error whose body does not end', async () => {
  const { client, clock, server } = await serveClient(
    [[head(400, { 'content-type': 'text/plain' }), 'half a reason']],
    { connectTimeout: 0, firstByteTimeout: 0 },
  );
  const running = runChat({ client, clock });
  await server.received(1);
  while (clock.sleeping() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await clock.advance(2000);
  expect(failureOf(await running)).toMatchObject({ kind: 'invalid_request', status: 400 });
});
