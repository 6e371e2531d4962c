import { describe, expect, test } from 'vitest';
import { ways } from './engine-helpers.ts';
import { ask, chunks, complete, deltas, jsonOf, stream as streamOf } from './sandbox-helpers.ts';

describe.each(ways)('$way', ({ open, prompt }) => {
  describe('POST /v1/chat/completions without stream', () => {
    test('answers with the completion of the contract', async () => {
      const answer = await complete(await open(), prompt('[sandbox echo] hello world'));
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(jsonOf(answer)).toEqual({
        id: expect.stringMatching(/^chatcmpl-\w+$/),
        object: 'chat.completion',
        model: 'origin',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'hello world' },
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
      });
    });

    test.each([
      [4, 'length'],
      [9, 'stop'],
    ])('of nine tokens, max_tokens %i ends with the finish_reason %s', async (limit, reason) => {
      const fields = { max_tokens: limit };
      const answer = await complete(await open(), prompt('[sandbox tokens=9]'), fields);
      expect(jsonOf(answer)).toMatchObject({
        choices: [{ finish_reason: reason }],
        usage: { completion_tokens: limit },
      });
    });
  });

  describe('POST /v1/chat/completions with stream', () => {
    test('sends data lines, blank lines and [DONE], byte for byte', async () => {
      const answer = await streamOf(await open(), prompt('[sandbox echo] hello world'));
      const head =
        '{"id":"chatcmpl-sandbox1","object":"chat.completion.chunk","choices":[{"index":0';
      expect(answer.headers['content-type']).toBe('text/event-stream');
      expect(answer.text).toBe(
        [
          `data: ${head},"delta":{"role":"assistant","content":"hello"}}]}\n\n`,
          `data: ${head},"delta":{"content":" world"}}]}\n\n`,
          `data: ${head},"delta":{"content":""},"finish_reason":"stop"}],`,
          '"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}}\n\n',
          'data: [DONE]\n\n',
        ].join(''),
      );
    });

    test('sends the same text as without a stream', async () => {
      const sandbox = await open();
      const streamed = await streamOf(sandbox, prompt('[sandbox markdown]'));
      const whole = await complete(sandbox, prompt('[sandbox markdown]'));
      expect(jsonOf(whole)['choices']).toMatchObject([
        { message: { content: deltas(streamed).join('') } },
      ]);
      expect(chunks(streamed).at(-1)?.usage).toEqual(jsonOf(whole)['usage']);
    });
  });

  describe('GET /v1/models', () => {
    test('lists both models with the published facts', async () => {
      const answer = await ask(await open());
      expect(answer.status).toBe(200);
      expect(jsonOf(answer)['data']).toMatchObject([
        { id: 'origin', context_window: 128_000, typical_latency_ms: 18 },
        { id: 'nextgen', context_window: 1_000_000, typical_latency_ms: 20 },
      ]);
    });

    test.each(['origin', 'nextgen'])('retrieves %s', async (id) => {
      expect(jsonOf(await ask(await open(), { path: `/v1/models/${id}` }))).toMatchObject({
        id,
        purpose: expect.stringContaining('model'),
      });
    });
  });
});
