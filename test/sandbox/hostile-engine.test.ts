// An engine whose answers are as hostile as any request: each costs its own request, and the next is answered.

import { expect, test } from 'vitest';
import type { Reply } from '../support/raw-server.ts';
import { done, response, streamed } from '../support/raw-replies.ts';
import { serveFront } from './engine-helpers.ts';
import { createLog } from './log-helpers.ts';
import { complete, deltas, jsonOf, stream } from './sandbox-helpers.ts';

const deep = '['.repeat(100_000) + ']'.repeat(100_000);
const deepPlace = `[{"msg":"so","loc":[${'['.repeat(20_000)}${']'.repeat(20_000)}]}]`;

const json = (status: number, text: string): Reply => [
  response(status, { 'content-type': 'application/json' }, text),
];

const chunkOf = (fields: string) =>
  `data: {"choices":[{"index":0,"delta":{"content":"text"}}],${fields}}\n\n${done}`;

const events = (text: string): Reply => [
  response(200, { 'content-type': 'text/event-stream' }, text),
];

test.each([
  ['an error with a deep place', json(400, `{"detail":${deepPlace}}`), 400],
  ['an error with status 200 and a deep place', json(200, `{"error":${deepPlace}}`), 500],
  ['a body of brackets only', json(200, deep), 500],
  ['a body that is not closed', json(200, '['.repeat(1_000_000)), 500],
])('X6: the upstream sends %s', async (_name, reply, status) => {
  const { write: log, entries } = createLog();
  const { sandbox } = await serveFront([reply, [streamed('Hello')]], { sandbox: { log } });
  expect((await complete(sandbox, 'hello')).status).toBe(status);
  expect(deltas(await stream(sandbox, 'hello'))).toEqual(['Hello']);
  expect(await entries(2)).toMatchObject([{ status, ended: 'done' }, { status: 200 }]);
});

test.each([
  ['one JSON body', json(200, `{"choices":[{"message":{"content":"text"},"x":${deep}}]}`)],
  ['a stream', events(chunkOf(`"x":${deep}`))],
])('X6: deep fields beside the text of an upstream are left out: %s', async (_name, reply) => {
  const { sandbox } = await serveFront([reply]);
  expect(deltas(await stream(sandbox, 'hello'))).toEqual(['text']);
});

test('X6: an answer of an upstream that is too long for one JSON body is a 500, and a stream is not', async () => {
  const reply = [streamed('x'.repeat(600), 'x'.repeat(600))];
  const limits = { answer: 1000 };
  const { sandbox } = await serveFront([reply, reply], { sandbox: { limits } });
  const answer = await complete(sandbox, 'hello');
  expect(answer.status).toBe(500);
  expect(jsonOf(answer)).toMatchObject({
    error: { name: 'server_error', message: expect.stringContaining('ask for a stream') },
  });
  expect(deltas(await stream(sandbox, 'hello')).join('')).toHaveLength(1200);
});
