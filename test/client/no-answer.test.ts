import { describe, expect, test } from 'vitest';
import { collectAnswer, IncompleteAnswer } from '../../src/client/collect-answer.ts';
import { done, event, response } from '../support/raw-replies.ts';
import { failureOf, prompt, runChat } from '../support/run-chat.ts';
import { serveClient } from '../support/serve.ts';

const usage = { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 };

/** A stream of these deltas that ends with the finish_reason `reason`. */
function ending(reason: string, ...deltas: readonly object[]): Buffer {
  const chunks = deltas.map((delta) => event({ choices: [{ index: 0, delta }] }));
  const end = event({ choices: [{ index: 0, delta: {}, finish_reason: reason }], usage });
  return response(
    200,
    { 'content-type': 'text/event-stream', 'x-request-id': 'r1' },
    [...chunks, end, done].join(''),
  );
}

describe('X23: no_answer', () => {
  test.each([
    ['content_filter', [{ content: 'Hel' }], 'the service filtered the answer'],
    ['tool_calls', [{ tool_calls: [{ index: 0 }] }], 'the model called a tool'],
    ['function_call', [{ function_call: { name: 'f' } }], 'the model called a function'],
    ['stop', [{ tool_calls: [{ index: 0 }] }], 'the model called a tool'],
    ['stop', [{ refusal: 'No.' }], 'the model refused to answer'],
    ['stop', [{ content: 'Well.' }, { refusal: 'No.' }], 'the model refused to answer'],
  ] as const)(
    'is the failure of a stream that ends with %s after %j',
    async (reason, deltas, message) => {
      const set = await serveClient([[ending(reason, ...deltas)]]);
      const run = await runChat(set);
      expect(run.events.at(-1)).toMatchObject({
        type: 'answer-finished',
        finishReason: reason,
        usage,
      });
      const failure = failureOf(run);
      expect(failure).toMatchObject({
        kind: 'no_answer',
        requestId: 'r1',
        remedy: { code: expect.any(String) },
      });
      expect(failure.message).toContain(message);
      expect(set.server.requests).toHaveLength(1);
    },
  );

  test.each([
    ['stop', [{ content: 'Hi' }]],
    ['length', [{ content: 'Hi' }]],
    ['stop', []],
    ['eos', [{ content: 'Hi' }]],
    ['stop', [{ content: 'Hi' }, { tool_calls: [{ index: 0 }] }]],
  ] as const)(
    'is not the failure of a stream that ends with %s after %j',
    async (reason, deltas) => {
      const run = await runChat(await serveClient([[ending(reason, ...deltas)]]));
      expect(run.error).toBeUndefined();
    },
  );

  test('is collected with the received text and the metadata at the end', async () => {
    const { client } = await serveClient([[ending('content_filter', { content: 'Hel' })]]);
    const error: unknown = await collectAnswer(client.chat(prompt)).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(IncompleteAnswer);
    expect(error).toMatchObject({
      kind: 'no_answer',
      received: { text: 'Hel' },
      ending: { finishReason: 'content_filter', usage, attempts: 1 },
    });
  });
});

describe('N10: a stream without an answer', () => {
  const head = { 'content-type': 'text/event-stream' };

  test.each([
    ['[DONE] alone', done],
    ['an id and [DONE]', event({ id: 'a', choices: [] }) + done],
  ])('of %s is incomplete, and is not sent again', async (_what, body) => {
    const set = await serveClient([[response(200, head, body)]]);
    const run = await runChat(set);
    expect(failureOf(run)).toMatchObject({
      kind: 'incomplete',
      message: 'the answer is incomplete: the service sent neither text nor a finish_reason',
    });
    expect(set.server.requests).toHaveLength(1);
  });
});
