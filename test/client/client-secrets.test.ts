import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { delta, event as eventOf, head, json, response } from '../support/raw-replies.ts';
import { createTestClient, failureOf, runChat, testKey } from '../support/run-chat.ts';
import { expectNoSecret, secretForms, secretKey } from '../support/secret.ts';
import { serve, serveClient } from '../support/serve.ts';

/** An error and its causes, with all their properties. */
function causesOf(error: unknown): readonly object[] {
  if (!(error instanceof Error)) return [];
  const { message, stack, cause } = error;
  return [{ ...Object.fromEntries(Object.entries(error)), message, stack }, ...causesOf(cause)];
}

test.each([301, 302, 303, 307, 308])(
  'K12 K13 a %d to a different port gets neither key nor prompt, and is reported',
  async (status) => {
    const target = await serve([[json(200, {})]]);
    const location = `${target.url}/v1/chat/completions?token=topsecret`;
    const set = await serveClient([[response(status, { location })]]);
    const failure = failureOf(await runChat(set));
    expect(failure.kind).toBe('configuration');
    expect(failure.message).toBe(
      `the service redirects (${status}) to ${target.url}/v1/chat/completions, which natter does not follow`,
    );
    expect(failure.remedy).toEqual({ code: 'set-base-url', baseUrl: target.url });
    expect(target.connections()).toBe(0);
    expect(set.server.requests).toHaveLength(1);
    // undici keeps the connection for the next request.
    set.client.close();
    await set.server.idle();
  },
);

test('K13 a redirect without a target is a failure', async () => {
  const failure = failureOf(await runChat(await serveClient([[response(302)]])));
  expect(failure.message).toContain('without a target');
});

test('K13 masks a password in the target of a redirect', async () => {
  const location = 'https://user:topsecret@other.test/';
  const failure = failureOf(await runChat(await serveClient([[response(302, { location })]])));
  expect(`${failure.message} ${JSON.stringify(failure.remedy)}`).not.toContain('topsecret');
});

const basic = Buffer.from('somebody:hunter-22').toString('base64');

test.each<[string, string, RegExp, Record<string, string>?]>([
  ['K9: the key', `bad key ${testKey}`, /bad key \*\*\*$/],
  ['K9: the key in base64', `bad ${Buffer.from(testKey).toString('base64')}`, /bad \*\*\*=*$/],
  [
    'K9: only headers that contain a secret',
    'header-secret of blue-team',
    /\*\*\* of blue-team$/,
    { 'x-api-key': 'header-secret', 'x-team': 'blue-team' },
  ],
  [
    'X2: the user name and the password of Basic',
    'somebody has no password hunter-22',
    /\*\*\* has no password \*\*\*$/,
    { authorization: `Basic ${basic}` },
  ],
])('%s is masked where a service sends it back', async (_name, sent, message, headers = {}) => {
  const set = await serveClient([[json(401, { error: { message: sent } })]], { headers });
  expect(failureOf(await runChat(set)).message).toMatch(message);
});

test('K9 masks the key in the cause of a retry', async () => {
  const set = await serveClient([[json(500, { detail: `failed for ${testKey}` })]], { retries: 1 });
  const run = await runChat(set);
  expect(
    JSON.stringify(run.events.map((event) => 'cause' in event && event.cause.message)),
  ).toContain('failed for ***');
});

test.each([
  ['Authorization', `Bearer ${secretKey}`],
  ['authorization', `Basic ${Buffer.from(`ann:${secretKey}`).toString('base64')}`],
  ['Cookie', `theme=dark; session=${secretKey}`],
  ['X-Auth', `Token token="${secretKey}", nonce="1"`],
])("X2: the caller's own %s header %s is in no failure and no cause", async (name, value) => {
  const headers = { [name]: value };
  const echo = `it is dark: ${secretForms.join(' ')}`;
  const replies = [
    [json(400, { error: { message: echo } }, { 'x-request-id': secretKey })],
    [response(200, {}, delta('some') + eventOf({ error: echo }))],
    [`${secretKey} is not HTTP\r\n\r\n`],
  ];
  const set = await serveClient(replies, { headers, retries: 0 });
  const failures: unknown[] = [];
  while (failures.length < replies.length) failures.push((await runChat(set)).error);
  const shown = failures.map((error) => inspect(error, { depth: 9 }));
  expect(shown[0]).toContain('it is dark: ***');
  expectNoSecret(...shown, ...shown.map((text) => text.replaceAll(/\s+/g, '')));
  expectNoSecret(JSON.stringify(failures.flatMap(causesOf)));
});

test('K14 does not send a key over plain http to a different machine', () => {
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

test('reports an error whose body does not end', async () => {
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
