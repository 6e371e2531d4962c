import { describe, expect, test } from 'vitest';
import { chunk, delta, done, response, streamed, streamHead } from '../support/raw-replies.ts';
import type { Reply } from '../support/raw-server.ts';
import { serveFront } from './engine-helpers.ts';
import { createLog } from './log-helpers.ts';
import { complete, deltas, jsonOf, payloads, rule, stream } from './sandbox-helpers.ts';

describe('faults with an engine', () => {
  const answer = [streamed('one', 'two', 'three')];

  test.each([
    ['cut=end cut-after=2', { status: 200, isComplete: true }, ['one', 'two']],
    ['cut=rst cut-after=1', { status: 200, isComplete: false }, ['one']],
    ['no-done', { status: 200, isComplete: true }, ['one', 'two', 'three']],
    ['drip=5ms', { status: 200, isComplete: true }, ['one', 'two', 'three']],
    ['split=2', { status: 200, isComplete: true }, ['on', 'et', 'wo', 'th', 're', 'e']],
    ['error-at=3', { status: 200, isComplete: true }, ['one', 'two']],
    ['503', { status: 503, isComplete: true }, []],
  ])('%s changes the answer of the engine', async (fields, expected, texts) => {
    const { sandbox } = await serveFront([answer]);
    const seen = await stream(sandbox, `[sandbox ${fields}] hello`);
    expect(seen).toMatchObject(expected);
    const contents = payloads(seen).flatMap((text) => /"content":"(\w+)"/.exec(text)?.[1] ?? []);
    expect(contents).toEqual(texts);
  });

  test.each([
    'cut-after=1',
    'cut-after=headers',
    'cut=end cut-after=headers',
    'cut=rst cut-after=1',
    'error-at=1',
  ])('%s ends the request upstream', async (fields) => {
    const { engine, sandbox } = await serveFront([
      [streamHead(), chunk(delta('one') + delta('two'))],
    ]);
    await stream(sandbox, `[sandbox ${fields}] hello`);
    await engine.idle();
    expect(engine.requests).toHaveLength(1);
  });

  test('applies rules first, then sends requests to the engine', async () => {
    const { engine, sandbox } = await serveFront([answer], {
      sandbox: { faults: [rule('429 times=2')] },
    });
    const statuses = [];
    for (let count = 0; count < 3; count += 1) {
      statuses.push((await stream(sandbox, 'hello')).status);
    }
    expect(statuses).toEqual([429, 429, 200]);
    expect(engine.requests).toHaveLength(1);
  });

  test('no-stream sends one JSON body for its stream', async () => {
    const { sandbox } = await serveFront([answer]);
    expect(jsonOf(await stream(sandbox, '[sandbox no-stream] hello'))).toMatchObject({
      choices: [{ message: { content: 'onetwothree' } }],
    });
  });

  test('sends hostile text before its answer', async () => {
    const { sandbox } = await serveFront([[response(200, {}, delta('Hello') + done)]]);
    const texts = deltas(await stream(sandbox, '[sandbox hostile] hello'));
    expect(texts.join('')).toMatch(/\u001b[^]*Hello$/);
  });
});

// Hostile answers of an engine fail only their own request.

const deep = '['.repeat(100_000) + ']'.repeat(100_000);
const deepDetail = `[{"msg":"so","loc":[${'['.repeat(20_000)}${']'.repeat(20_000)}]}]`;

const json = (status: number, text: string): Reply => [
  response(status, { 'content-type': 'application/json' }, text),
];

const chunkOf = (fields: string) =>
  `data: {"choices":[{"index":0,"delta":{"content":"text"}}],${fields}}\n\n${done}`;

const events = (text: string): Reply => [
  response(200, { 'content-type': 'text/event-stream' }, text),
];

test.each([
  ['an error with deep details', json(400, `{"detail":${deepDetail}}`), 400],
  ['an error with status 200 and deep details', json(200, `{"error":${deepDetail}}`), 500],
  ['a body of brackets', json(200, deep), 500],
  ['a body without its closing brackets', json(200, '['.repeat(1_000_000)), 500],
])('X6: answers after an upstream has sent %s', async (_name, reply, status) => {
  const { write: log, entries } = createLog();
  const { sandbox } = await serveFront([reply, [streamed('Hello')]], { sandbox: { log } });
  expect((await complete(sandbox, 'hello')).status).toBe(status);
  expect(deltas(await stream(sandbox, 'hello'))).toEqual(['Hello']);
  expect(await entries(2)).toMatchObject([{ status, ended: 'done' }, { status: 200 }]);
});

test.each([
  ['one JSON body', json(200, `{"choices":[{"message":{"content":"text"},"x":${deep}}]}`)],
  ['a stream', events(chunkOf(`"x":${deep}`))],
])('X6: omits deep fields beside the text of an upstream: %s', async (_name, reply) => {
  const { sandbox } = await serveFront([reply]);
  expect(deltas(await stream(sandbox, 'hello'))).toEqual(['text']);
});

test('X6: an upstream’s answer that is too long for one JSON body becomes 500, and can be streamed', async () => {
  const reply = [streamed('x'.repeat(600), 'x'.repeat(600))];
  const limits = { answer: 1000 };
  const { sandbox } = await serveFront([reply, reply], { sandbox: { limits } });
  const answer = await complete(sandbox, 'hello');
  expect(answer.status).toBe(500);
  expect(jsonOf(answer)).toMatchObject({
    error: { name: 'server_error', message: expect.stringContaining('request a stream') },
  });
  expect(deltas(await stream(sandbox, 'hello')).join('')).toHaveLength(1200);
});
