// Answers and failures of an engine, as clients of the sandbox receive them.

import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { ClientOptions } from '../../src/client/client.ts';
import {
  chunk,
  delta,
  done,
  event,
  json,
  response,
  streamHead,
  streamed,
} from '../support/raw-replies.ts';
import { type Reply, fin, reset } from '../support/raw-server.ts';
import {
  chunks,
  complete,
  createLog,
  deltas,
  jsonOf,
  openSandbox,
  openSocket,
  payloads,
  rawRequest,
  readSocket,
  rule,
  serveFront,
  stream,
} from './sandbox-helpers.ts';

describe('an answer of an engine', () => {
  test('that refuses is sent as text, because the contract has no field for it', async () => {
    const body = event({ choices: [{ delta: { refusal: 'No.' } }] }) + done;
    const { sandbox } = await serveFront([[response(200, {}, body)]]);
    const answer = await stream(sandbox, 'hello', { model: 'nextgen' });
    expect(deltas(answer)).toEqual(['No.']);
  });

  test('half an answer becomes an error, not a JSON body', async () => {
    const { sandbox } = await serveFront([[streamHead(), chunk(delta('Hel')), reset]]);
    const answer = await complete(sandbox, 'hello');
    expect(answer.status).toBe(500);
    expect(answer.text).toMatch(/upstream: the answer is incomplete/);
  });
});

test.each([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'function_call'],
  ['length', 'length'],
  ['MAX_TOKENS', 'length'],
  ['max_output_tokens', 'length'],
  ['content_filter', 'content_filter'],
  ['SAFETY', 'content_filter'],
])('the finish_reason %s becomes %s', async (sent, expected) => {
  const end = event({ choices: [{ index: 0, delta: {}, finish_reason: sent }] });
  const body = Buffer.from(delta('Hello') + end + done);
  const { sandbox } = await serveFront([[response(200, {}, body)]]);
  const last = chunks(await stream(sandbox, 'hello')).at(-1);
  expect(last?.choices[0]?.finish_reason).toBe(expected);
});

test.each([
  ['the engine’s, with a sum', { prompt_tokens: 7, completion_tokens: 5, total_tokens: 9 }, [7, 5]],
  ['counted if a part is missing', { prompt_tokens: 7 }, [7, 2]],
  ['counted if it is invalid', { prompt_tokens: -1, completion_tokens: 0.5 }, [4, 2]],
  ['counted if the engine reports none', undefined, [4, 2]],
])('usage is %s', async (_, usage, [sent = 0, answered = 0]) => {
  const choices = [{ index: 0, message: { content: 'Hello there' }, finish_reason: 'stop' }];
  const { sandbox } = await serveFront([[json(200, { choices, usage })]]);
  expect(jsonOf(await complete(sandbox, 'hello'))['usage']).toEqual({
    prompt_tokens: sent,
    completion_tokens: answered,
    total_tokens: sent + answered,
  });
});

describe('the request to the engine', () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'more' },
  ];

  test.each([{}, { stream: true, max_tokens: 9 }])(
    'has the fields of the client, and no others: %j',
    async (fields) => {
      const { engine, sandbox } = await serveFront([[json(500, {})]]);
      await complete(sandbox, '', { messages, ...fields });
      const sent: unknown = JSON.parse(engine.requests[0]?.body ?? '');
      expect(sent).toStrictEqual({ model: 'origin', messages, ...fields });
    },
  );

  test('omits the groups at the start of all prompts', async () => {
    const { engine, sandbox } = await serveFront([[json(500, {})]]);
    const contents = ['[sandbox 500] one', '[sandbox what] two', '[sandbox rate=50] three'];
    const prompts = (texts: readonly string[]) =>
      texts.map((content) => ({ role: 'user', content }));
    const answer = { role: 'assistant', content: '[sandbox 500] is a group' };
    await stream(sandbox, '', { messages: [answer, ...prompts(contents)] });
    expect(JSON.parse(engine.requests[0]?.body ?? '')).toMatchObject({
      messages: [answer, ...prompts(['one', '[sandbox what] two', 'three'])],
    });
  });

  test.each(['[sandbox help]', '[sandbox tokens=3]', '[sandbox echo] hi', '[sandbox 404] hi'])(
    'is not sent if the sandbox answers itself: %s',
    async (prompt) => {
      const { engine, sandbox } = await serveFront([[fin]]);
      expect([200, 404]).toContain((await stream(sandbox, prompt)).status);
      expect(engine.requests).toEqual([]);
    },
  );
});

test.each([
  ['HTTP/1.1', /transfer-encoding: chunked/i, /^[^]*"grüß"[^]*\r\n0\r\n\r\n$/],
  ['HTTP/1.0', /^(?!.*transfer-encoding)/is, /^data: [^]*"grüß"[^]*\n\ndata: \[DONE\]\n\n$/],
])('the body of a stream for a client of %s', async (version, head, body) => {
  async function* greet() {
    yield { type: 'text-received', text: 'grüß dich', deltas: ['grüß', ' dich'] } as const;
    yield { type: 'answer-finished', attempts: 1, timing: { total: 1 } } as const;
  }
  const sandbox = await openSandbox({ engine: greet });
  const request = rawRequest('hello').replace('HTTP/1.1', `${version}\r\nConnection: close`);
  const { text } = await readSocket(await openSocket(sandbox, request));
  const end = text.indexOf('\r\n\r\n');
  expect(text.slice(0, end)).toMatch(head);
  expect(text.slice(end + 4)).toMatch(body);
});

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

  test.each<[string, Reply, number, Partial<ClientOptions>?]>([
    ['an error event', eventStream('data: {"error":{"message":"busy","code":429}}\n\n'), 429],
    ['an HTML page', eventStream('<html><title>Sign in</title></html>'), 500],
    ['an empty body', eventStream(''), 500],
    ['only keep-alives', eventStream(': ping\n\n'), 500],
    ['a connection that closes', [fin], 500],
    ['a redirect', [response(302, { location: '/login' })], 500],
    ['silence', [], 500, { firstByteTimeout: 20 }],
    ['no content', [streamHead(), chunk(': ping\n\n')], 500, { idleTimeout: 20 }],
  ])('such as %s has an error status', async (_, reply, status, client = {}) => {
    const { sandbox } = await serveFront([reply], { client });
    const answer = await stream(sandbox, 'hello');
    expect(answer.status).toBe(status);
    const name = status === 429 ? 'rate_limited' : 'server_error';
    expect(jsonOf(answer)).toMatchObject({ error: { name } });
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
