// Answers of an engine, as clients of the sandbox receive them.

import { describe, expect, test } from 'vitest';
import { type Reply, fin, reset } from '../support/raw-server.ts';
import {
  chunk,
  delta,
  done,
  event,
  json,
  response,
  streamed,
  streamHead,
} from '../support/raw-replies.ts';
import { type StreamFixture, streamFixtures } from '../support/stream-fixtures.ts';
import { serveFront } from './engine-helpers.ts';
import {
  chunks,
  complete,
  deltas,
  jsonOf,
  openSandbox,
  openSocket,
  payloads,
  rawRequest,
  readSocket,
  stream,
} from './sandbox-helpers.ts';

function reply({ contentType, bytes }: Pick<StreamFixture, 'contentType' | 'bytes'>): Reply {
  return [response(200, { 'content-type': contentType }, bytes)];
}

const whole = streamFixtures.filter((fixture) => fixture.complete);
const partial = streamFixtures.filter((fixture) => !fixture.complete && fixture.text !== '');

/** A refusal is sent as text, because the contract has no field for it. */
const textOf = ({ text, refusal = '' }: StreamFixture) => text + refusal;

/** If the engine reports no usage. */
const counted = {
  prompt_tokens: 4,
  completion_tokens: expect.any(Number),
  total_tokens: expect.any(Number),
};

const start = '{"id":"chatcmpl-sandbox1","object":"chat.completion.chunk","choices":[{"index":0,';

describe('an answer of an engine in any form', () => {
  test.each(whole)('$name: is streamed as in the contract', async (fixture) => {
    const { sandbox } = await serveFront([reply(fixture)]);
    const answer = await stream(sandbox, 'hello');
    expect(answer.headers['content-type']).toBe('text/event-stream');
    const texts = deltas(answer);
    expect(texts.join('')).toBe(textOf(fixture));
    const reason = fixture.finishReason ?? 'stop';
    const usage = JSON.stringify(fixture.usage ?? chunks(answer).at(-1)?.usage);
    expect(answer.text).toBe(
      [
        ...texts.map((text) => `data: ${start}"delta":{"content":${JSON.stringify(text)}}}]}\n\n`),
        `data: ${start}"delta":{"content":""},"finish_reason":"${reason}"}],"usage":${usage}}\n\n`,
        'data: [DONE]\n\n',
      ]
        .join('')
        .replace('"delta":{', '"delta":{"role":"assistant",'),
    );
  });

  test.each(whole)('$name: is one JSON body as in the contract', async (fixture) => {
    const { sandbox } = await serveFront([reply(fixture)]);
    const answer = await complete(sandbox, 'hello', { model: 'nextgen' });
    const message = { role: 'assistant', content: textOf(fixture) };
    expect(jsonOf(answer)).toStrictEqual({
      id: 'chatcmpl-sandbox1',
      object: 'chat.completion',
      model: 'nextgen',
      choices: [{ index: 0, message, finish_reason: fixture.finishReason ?? 'stop' }],
      usage: fixture.usage ?? counted,
    });
  });

  test.each(partial)('$name: is cut at the same place, without [DONE]', async (fixture) => {
    const { sandbox } = await serveFront([reply(fixture)]);
    const answer = await stream(sandbox, 'hello');
    expect(answer).toMatchObject({ status: 200, isComplete: false });
    expect(deltas(answer).join('')).toBe(fixture.text);
    expect(payloads(answer)).not.toContain('[DONE]');
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
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'function_call'],
  ['length', 'length'],
  ['max_tokens', 'length'],
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

test('waits for an engine that retries', async () => {
  const replies = [[json(429, {}, { 'retry-after': '0' })], [streamed('Hello')]];
  const { sandbox } = await serveFront(replies, { client: { retries: 1 } });
  expect(deltas(await stream(sandbox, 'hello'))).toEqual(['Hello']);
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
