import { describe, expect, test } from 'vitest';
import { chunk, delta, done, response, streamed, streamHead } from '../support/raw-replies.ts';
import { serveFront } from './engine-helpers.ts';
import { deltas, jsonOf, payloads, rule, stream } from './sandbox-helpers.ts';

describe('faults in front of an engine', () => {
  const answer = [streamed('one', 'two', 'three')];

  test.each([
    ['cut=end cut-after=2', { status: 200, isComplete: true }, ['one', 'two']],
    ['cut=rst cut-after=1', { status: 200, isComplete: false }, ['one']],
    ['no-done', { status: 200, isComplete: true }, ['one', 'two', 'three']],
    ['drip=5ms', { status: 200, isComplete: true }, ['one', 'two', 'three']],
    ['split=2', { status: 200, isComplete: true }, ['on', 'et', 'wo', 'th', 're', 'e']],
    ['error-at=3', { status: 200, isComplete: true }, ['one', 'two']],
    ['503', { status: 503, isComplete: true }, []],
  ])('%s happens to its answer', async (words, expected, texts) => {
    const { sandbox } = await serveFront([answer]);
    const seen = await stream(sandbox, `[sandbox ${words}] hello`);
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
  ])('%s ends the request upstream', async (words) => {
    const { engine, sandbox } = await serveFront([
      [streamHead(), chunk(delta('one') + delta('two'))],
    ]);
    await stream(sandbox, `[sandbox ${words}] hello`);
    await engine.idle();
    expect(engine.requests).toHaveLength(1);
  });

  test('rules come first, and the engine when they are spent', async () => {
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

  test('no-stream makes one JSON body of its stream', async () => {
    const { sandbox } = await serveFront([answer]);
    expect(jsonOf(await stream(sandbox, '[sandbox no-stream] hello'))).toMatchObject({
      choices: [{ message: { content: 'onetwothree' } }],
    });
  });

  test('hostile text comes before its answer', async () => {
    const { sandbox } = await serveFront([[response(200, {}, delta('Hello') + done)]]);
    const texts = deltas(await stream(sandbox, '[sandbox hostile] hello'));
    expect(texts.join('')).toMatch(/\u001b[^]*Hello$/);
  });
});
