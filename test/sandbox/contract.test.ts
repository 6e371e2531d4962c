import { describe, expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import {
  type Question,
  ask,
  chunks,
  complete,
  createSkippingClock,
  deltas,
  jsonOf,
  openSandbox,
  stream as streamOf,
  ways,
} from './sandbox-helpers.ts';

const greeting = { role: 'assistant', content: 'hello world' };

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
        choices: [{ index: 0, message: greeting, finish_reason: 'stop' }],
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

const message = { role: 'user', content: 'hello' };
const requested = (fields: object) => ({ model: 'origin', messages: [message], ...fields });
const said = (changes: object) => requested({ messages: [{ ...message, ...changes }] });
const completions: Question = { method: 'POST', path: '/v1/chat/completions' };

async function errorOf(question: Question, sandbox = openSandbox()) {
  const answer = await ask(await sandbox, question);
  const { name, message: text } = jsonOf(answer)['error'] as { name: string; message: string };
  return { status: answer.status, name, message: text };
}

test.each([
  ['a missing header', { key: null }],
  ['an unknown key', { key: 'sk-secret' }],
  ['a different scheme', { key: null, headers: { authorization: `Basic ${sandboxKey}` } }],
  ['an empty token', { key: null, headers: { authorization: 'Bearer ' } }],
])(
  'answers %s with 401 unauthorized and a key that works, without the key sent',
  async (_, question) => {
    for (const path of ['/v1/models', '/v1/models/origin', '/v1/nothing']) {
      const error = await errorOf({ ...question, path });
      expect(error).toMatchObject({ status: 401, name: 'unauthorized' });
      expect(error.message).not.toContain('sk-secret');
      expect(error.message).toMatch(/; the sandbox takes the key sandbox-key$/);
    }
  },
);

test('accepts the scheme in upper and lower case, and ignores a query', async () => {
  const headers = { authorization: `bearer ${sandboxKey}` };
  const question = { key: null, headers, path: '/v1/models?version=1' };
  expect((await ask(await openSandbox(), question)).status).toBe(200);
});

test('answers 403 forbidden for a model that the key does not permit', async () => {
  const sandbox = await openSandbox();
  const question = { ...completions, key: 'sandbox-key-origin-only' };
  expect((await ask(sandbox, { ...question, body: requested({}) })).status).toBe(200);
  const refused = { ...question, body: requested({ model: 'nextgen' }) };
  expect(await errorOf(refused)).toMatchObject({ status: 403, name: 'forbidden' });
});

test.each([
  ['malformed JSON', '{"model":', /the request body is not JSON at line 1, column 10/],
  ['no body', '', /empty/],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), /not UTF-8/],
  ['a body that is not an object', [], /JSON object/],
  ['a body over the size limit', Buffer.alloc(33 * 1024 * 1024, ' '), /bytes/],
  ['a missing model', { messages: [message] }, /"model" is missing/],
  ['a model of the wrong type', requested({ model: 1 }), /"model" must be a string/],
  ['missing messages', { model: 'origin' }, /"messages" is missing/],
  ['messages of the wrong type', requested({ messages: 'hi' }), /must be an array/],
  ['no messages', requested({ messages: [] }), /must not be empty/],
  ['a message of the wrong type', requested({ messages: ['hi'] }), /messages\[0\] must be/],
  ['a missing role', said({ role: undefined }), /role is missing/],
  ['a missing content', said({ content: undefined }), /messages\[0\]\.content is missing/],
  ['content in parts', said({ content: [] }), /content must be a string/],
  ['an unknown role', said({ role: 'tool' }), /"tool"/],
  ['an unknown field', said({ name: 'x' }), /"name"/],
  ['unsupported parameters', requested({ temperature: 1, top_p: 1 }), /"temperature", "top_p"/],
  ['a stream of the wrong type', requested({ stream: 1 }), /"stream"/],
  ['a max_tokens of 0', requested({ max_tokens: 0 }), /"max_tokens"/],
  ['a fractional max_tokens', requested({ max_tokens: 1.5 }), /integer/],
])('answers %s with 400 invalid_request', async (_, body, pattern) => {
  expect(await errorOf({ ...completions, body })).toEqual({
    status: 400,
    name: 'invalid_request',
    message: expect.stringMatching(pattern),
  });
});

test('N11 ignores what the contract does not have with lenient', async () => {
  const sandbox = openSandbox({ lenient: true });
  const messages = [{ ...message, name: 'me' }];
  const body = requested({ messages, temperature: 1, tools: [], max_completion_tokens: 5 });
  expect((await ask(await sandbox, { ...completions, body })).status).toBe(200);
  const wrong = { ...completions, body: { ...body, max_tokens: 0 } };
  expect((await errorOf(wrong, sandbox)).status).toBe(400);
});

test('joins text parts and takes a developer for system with lenient', async () => {
  const sandbox = openSandbox({ lenient: true });
  const text = (...texts: string[]) => texts.map((part) => ({ type: 'text', text: part }));
  const messages = [
    { role: 'developer', content: text('be brief') },
    { role: 'user', content: text('[sandbox ec', 'ho] hello') },
  ];
  const body = requested({ messages });
  expect(jsonOf(await ask(await sandbox, { ...completions, body }))).toMatchObject({
    choices: [{ message: { content: 'hello' } }],
  });
  const image = { ...completions, body: said({ content: [{ type: 'image_url' }] }) };
  const { message: problem } = await errorOf(image, sandbox);
  expect(problem).toBe('messages[0].content must be a string');
  expect((await errorOf({ ...completions, body })).status).toBe(400);
});

test('answers a Content-Type other than JSON with 400', async () => {
  const headers = { 'content-type': 'text/plain' };
  const error = await errorOf({ ...completions, body: requested({}), headers });
  expect(error.status).toBe(400);
  expect(error.message).toContain('text/plain');
});

test('answers a prompt over the model’s window with 400; it fits the larger model', async () => {
  const sandbox = openSandbox();
  const content = ' word'.repeat(128_000);
  const error = await errorOf({ ...completions, body: said({ content }) }, sandbox);
  expect(error.status).toBe(400);
  expect(error.message).toContain('128003 tokens, over the 128000 of "origin"');
  expect((await complete(await sandbox, content, { model: 'nextgen' })).status).toBe(200);
});

test.each([
  ['POST', '/chat/completions', '; did you mean /v1/chat/completions?'],
  ['GET', '/v1/v1/models', '; did you mean /v1/models?'],
  ['GET', '/chat/completions', ''],
  ['DELETE', '/v1/models', '; this path accepts GET'],
  ['GET', '/v1/chat/completions', '; this path accepts POST'],
])('N11 answers %s %s with 404, and names what may be meant', async (method, path, hint) => {
  expect(await errorOf({ method, path })).toEqual({
    status: 404,
    name: 'not_found',
    message: `there is no ${method} ${path}${hint}`,
  });
});

test.each([
  ['an unknown model', { path: '/v1/models/gpt' }],
  ['an escaped id', { path: '/v1/models/origin%2Fx' }],
  ['an id that cannot be decoded', { path: '/v1/models/%ff' }],
  ['an unknown model in a body', { ...completions, body: requested({ model: 'gpt' }) }],
])('answers %s with 404 and the models', async (_, question) => {
  const error = await errorOf(question);
  expect(error).toMatchObject({ status: 404, name: 'not_found' });
  expect(error.message).toMatch(/; the models are origin, nextgen$/);
});

const key = 'sandbox-key-free-tier';

test('answers requests over the limit with 429, every other time with Retry-After', async () => {
  const sandbox = await openSandbox();
  const answers: string[] = [];
  for (let count = 0; count < 7; count += 1) {
    const { status, headers } = await ask(sandbox, { key });
    answers.push(`${status} ${headers['retry-after'] ?? ''}`.trim());
  }
  expect(answers).toEqual(['200', '200', '200', '429 10', '429', '429 10', '429']);
  expect((await ask(sandbox)).status).toBe(200);
});

test('accepts requests again after the announced time', async () => {
  const clock = createSkippingClock();
  const sandbox = await openSandbox({ clock });
  for (let count = 0; count < 4; count += 1) await ask(sandbox, { key });
  clock.advance(9999);
  expect((await ask(sandbox, { key })).status).toBe(429);
  clock.advance(1);
  expect((await ask(sandbox, { key })).status).toBe(200);
});

test('applies the limit of the options to every key', async () => {
  const sandbox = await openSandbox({ rateLimit: { requests: 1, seconds: 60 } });
  expect((await ask(sandbox)).status).toBe(200);
  expect((await ask(sandbox)).headers['retry-after']).toBe('60');
});
