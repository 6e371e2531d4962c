import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { ClientOptions } from '../../src/client/client.ts';
import {
  chunk,
  delta,
  done,
  json,
  response,
  streamed,
  streamHead,
} from '../support/raw-replies.ts';
import { fin, type Reply, reset } from '../support/raw-server.ts';
import { serve } from '../support/serve.ts';
import { engineAt, serveFront } from './engine-helpers.ts';
import { createLog } from './log-helpers.ts';
import {
  complete,
  deltas,
  jsonOf,
  openSandbox,
  openSocket,
  payloads,
  rawRequest,
  rule,
  stream,
} from './sandbox-helpers.ts';

const numbers = [streamed('one', 'two', 'three')];

test.each([
  ['cut=end cut-after=2', 200, true, 'one two'],
  ['cut=rst cut-after=1', 200, false, 'one'],
  ['no-done', 200, true, 'one two three'],
  ['drip=5ms', 200, true, 'one two three'],
  ['split=2', 200, true, 'on et wo th re e'],
  ['error-at=3', 200, true, 'one two'],
  ['503', 503, true, ''],
])('%s changes the answer of the engine', async (fields, status, isComplete, texts) => {
  const { sandbox } = await serveFront([numbers]);
  const seen = await stream(sandbox, `[sandbox ${fields}] hello`);
  expect(seen).toMatchObject({ status, isComplete });
  const contents = [...seen.text.matchAll(/"content":"(\w+)"/g)].map(([, text]) => text);
  expect(contents.join(' ')).toBe(texts);
});

test.each([
  'cut-after=1',
  'cut-after=headers',
  'cut=end cut-after=headers',
  'cut=rst cut-after=1',
  'error-at=1',
])('%s ends the request upstream', async (fields) => {
  const reply = [streamHead(), chunk(delta('one') + delta('two'))];
  const { engine, sandbox } = await serveFront([reply]);
  await stream(sandbox, `[sandbox ${fields}] hello`);
  await engine.idle();
  expect(engine.requests).toHaveLength(1);
});

test('applies rules first, then sends requests to the engine', async () => {
  const faults = [rule('429 times=2')];
  const { engine, sandbox } = await serveFront([numbers], { sandbox: { faults } });
  const statuses = [];
  while (statuses.length < 3) statuses.push((await stream(sandbox, 'hello')).status);
  expect(statuses).toEqual([429, 429, 200]);
  expect(engine.requests).toHaveLength(1);
});

test('sends hostile text before the answer of the engine', async () => {
  const { sandbox } = await serveFront([numbers]);
  const texts = deltas(await stream(sandbox, '[sandbox hostile] hello'));
  expect(texts.join('')).toMatch(/\u001b[^]*onetwothree$/);
});

// Hostile answers of an engine fail only their own request.

const deep = '['.repeat(100_000) + ']'.repeat(100_000);
const deepDetail = `[{"msg":"so","loc":[${'['.repeat(20_000)}${']'.repeat(20_000)}]}]`;

const jsonText = (status: number, text: string): Reply => [
  response(status, { 'content-type': 'application/json' }, text),
];

const chunkOf = (fields: string) =>
  `data: {"choices":[{"index":0,"delta":{"content":"text"}}],${fields}}\n\n${done}`;

const eventStream = (text: string): Reply => [
  response(200, { 'content-type': 'text/event-stream' }, text),
];

test.each([
  ['an error with deep details', jsonText(400, `{"detail":${deepDetail}}`), 400],
  ['an error with status 200 and deep details', jsonText(200, `{"error":${deepDetail}}`), 500],
  ['a body of brackets', jsonText(200, deep), 500],
  ['a body without its closing brackets', jsonText(200, '['.repeat(1_000_000)), 500],
])('X6: answers after an upstream has sent %s', async (_name, reply, status) => {
  const { write: log, entries } = createLog();
  const { sandbox } = await serveFront([reply, [streamed('Hello')]], { sandbox: { log } });
  expect((await complete(sandbox, 'hello')).status).toBe(status);
  expect(deltas(await stream(sandbox, 'hello'))).toEqual(['Hello']);
  expect(await entries(2)).toMatchObject([{ status, ended: 'done' }, { status: 200 }]);
});

test.each([
  ['one JSON body', jsonText(200, `{"choices":[{"message":{"content":"text"},"x":${deep}}]}`)],
  ['a stream', eventStream(chunkOf(`"x":${deep}`))],
])('X6: omits deep fields beside the text of an upstream: %s', async (_name, reply) => {
  const { sandbox } = await serveFront([reply]);
  expect(deltas(await stream(sandbox, 'hello'))).toEqual(['text']);
});

// Failures of an engine as clients see them, and disconnections of clients as an engine sees them.

describe('an error of the engine', () => {
  // docs/sandbox.md has a table of all statuses, which faults/parse-fault.test.ts reads.
  test.each([
    [401, 500, 'server_error', "the upstream rejected the sandbox's key, not yours (401): so"],
    [402, 403, 'forbidden', 'upstream (402): so'],
    [429, 429, 'rate_limited', 'upstream (429): so'],
  ])('of %i becomes %i %s, streamed or not', async (status, expected, name, message) => {
    const headers = { 'www-authenticate': 'Bearer' };
    const { sandbox } = await serveFront([[json(status, { error: { message: 'so' } }, headers)]]);
    for (const answer of [await stream(sandbox, 'hello'), await complete(sandbox, 'hello')]) {
      expect(answer.status).toBe(expected);
      expect(answer.headers).not.toHaveProperty('www-authenticate');
      expect(jsonOf(answer)).toStrictEqual({ error: { name, message } });
    }
  });

  test.each([
    ['an error event', `data: {"error":{"message":"busy","code":429}}\n\n`, 429],
    ['an HTML page', '<html><title>Sign in</title></html>', 500],
    ['an empty body', '', 500],
    ['only keep-alives', ': ping\n\n', 500],
  ])('with status 200 and %s has an error status', async (_, sent, status) => {
    const { sandbox } = await serveFront([
      [response(200, { 'content-type': 'text/event-stream' }, sent)],
    ]);
    expect((await stream(sandbox, 'hello')).status).toBe(status);
  });

  test.each([
    ['a connection that closes', [fin], {}],
    ['a connection that is reset', [reset], {}],
    ['bytes that are not HTTP', ['SSH-2.0-x\r\n', fin], {}],
    ['a redirect', [response(302, { location: '/login' })], {}],
    ['silence', [], { firstByteTimeout: 20 }],
    ['an answer without content', [streamHead(), chunk(': ping\n\n')], { idleTimeout: 20 }],
  ] satisfies [string, Reply, Partial<ClientOptions>][])(
    'such as %s becomes 500',
    async (_, reply, client) => {
      const { sandbox } = await serveFront([reply], { client });
      const answer = await stream(sandbox, 'hello');
      expect(answer.status).toBe(500);
      expect(jsonOf(answer)).toMatchObject({ error: { name: 'server_error' } });
    },
  );

  test('such as a refused connection becomes 500', async () => {
    const gone = await serve([]);
    await gone.stop();
    const sandbox = await openSandbox({ engine: engineAt(gone.url) });
    expect((await complete(sandbox, 'hello')).text).toMatch(/upstream: .*refused/);
  });

  test.each([
    ['7', 429, '7'],
    ['0.2', 429, '1'],
    ['90000', 429, '90000'],
    ['7', 503, '7'],
    ['soon', 429, undefined],
  ])('keeps Retry-After: %s with %i, and is not retried', async (wait, status, passedOn) => {
    const { engine, sandbox } = await serveFront([[json(status, {}, { 'retry-after': wait })]]);
    expect((await stream(sandbox, 'hello')).headers['retry-after']).toBe(passedOn);
    expect(engine.requests).toHaveLength(1);
  });

  test('in the middle of its answer becomes a cut after the received text, and is logged', async () => {
    const { write: log, entries } = createLog();
    const reply: Reply = [streamHead(), chunk(delta('one') + delta('two')), fin];
    const { sandbox } = await serveFront([reply], { sandbox: { log } });
    const answer = await stream(sandbox, 'hello');
    expect(answer).toMatchObject({ status: 200, isComplete: false });
    expect(deltas(answer)).toEqual(['one', 'two']);
    expect(payloads(answer)).not.toContain('[DONE]');
    expect(await entries(1)).toMatchObject([{ status: 200, events: 2, ended: 'failed' }]);
  });
});

describe('a client that disconnects', () => {
  test.each([
    ['before the engine answers', [], 0],
    ['in the middle of the answer', [streamHead(), chunk(delta('one'))], 1],
  ] satisfies [string, Reply, number][])(
    '%s ends the request upstream',
    async (_, reply, events) => {
      const { engine, sandbox } = await serveFront([reply]);
      const socket = await openSocket(sandbox, rawRequest('hello'));
      await engine.received(1);
      if (events > 0) await once(socket, 'data');
      socket.destroy();
      await engine.idle();
      expect(engine.requests).toHaveLength(1);
    },
  );

  test('because the sandbox closes ends the request upstream', async () => {
    const { engine, sandbox } = await serveFront([[]]);
    const answer = stream(sandbox, 'hello').catch(() => undefined);
    await engine.received(1);
    await sandbox.close();
    await engine.idle();
    expect(await answer).toBeUndefined();
  });

  test('or stops reading pauses the engine', async () => {
    let sent = 0;
    const piece: Reply = [chunk(delta('x'.repeat(50_000))), () => (sent += 1)];
    const endless = Array.from({ length: 2000 }, () => piece).flat();
    const { engine, sandbox } = await serveFront([[streamHead(), ...endless]]);
    const socket = await openSocket(sandbox, rawRequest('hello'));
    await once(socket, 'data');
    socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(sent).toBeLessThan(1000);
    socket.destroy();
    await engine.idle();
  });
});
