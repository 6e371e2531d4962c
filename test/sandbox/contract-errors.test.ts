import { describe, expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import {
  ask,
  complete,
  createSkippingClock,
  jsonOf,
  openSandbox,
  type Question,
} from './sandbox-helpers.ts';

const message = { role: 'user', content: 'hello' };
const requested = (fields: object) => ({ model: 'origin', messages: [message], ...fields });
const completions: Question = { method: 'POST', path: '/v1/chat/completions' };

interface ErrorAnswer {
  readonly name: string;
  readonly message: string;
}

function errorOf(answer: { readonly text: string }): ErrorAnswer {
  return jsonOf(answer)['error'] as ErrorAnswer;
}

describe('authentication', () => {
  test.each([
    ['a missing header', { key: null }],
    ['an unknown key', { key: 'sk-unknown' }],
    ['a different scheme', { key: null, headers: { authorization: `Basic ${sandboxKey}` } }],
    ['an empty token', { key: null, headers: { authorization: 'Bearer ' } }],
  ])('answers %s with 401 unauthorized', async (_, question) => {
    const sandbox = await openSandbox();
    for (const path of ['/v1/models', '/v1/models/origin', '/v1/nothing']) {
      const answer = await ask(sandbox, { ...question, path });
      expect(answer.status).toBe(401);
      expect(errorOf(answer).name).toBe('unauthorized');
    }
  });

  test.each([null, 'sk-secret'])('names a key that works instead of %s', async (key) => {
    const { message: text } = errorOf(await ask(await openSandbox(), { key }));
    expect(text).toMatch(/; the sandbox takes (?:the key )?sandbox-key$/);
    expect(text).not.toContain('sk-secret');
  });

  test('accepts the scheme in upper and lower case', async () => {
    const headers = { authorization: `bearer ${sandboxKey}` };
    expect((await ask(await openSandbox(), { key: null, headers })).status).toBe(200);
  });

  test('answers 403 forbidden for a model that the key does not permit', async () => {
    const sandbox = await openSandbox();
    const key = 'sandbox-key-origin-only';
    const body = (model: string) => ({ model, messages: [message] });
    expect((await ask(sandbox, { ...completions, key, body: body('origin') })).status).toBe(200);
    const refused = await ask(sandbox, { ...completions, key, body: body('nextgen') });
    expect(refused.status).toBe(403);
    expect(errorOf(refused).name).toBe('forbidden');
  });
});

describe('400 invalid_request', () => {
  test.each([
    ['malformed JSON', '{"model":', /the request body is not JSON at line 1, column 10/],
    ['no body', '', /empty/],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), /not UTF-8/],
    ['a body that is not an object', [], /JSON object/],
    ['a missing model', { messages: [message] }, /"model" is missing/],
    ['a model of the wrong type', requested({ model: 1 }), /"model" must be a string/],
    ['missing messages', { model: 'origin' }, /"messages" is missing/],
    ['messages of the wrong type', requested({ messages: 'hi' }), /must be an array/],
    ['no messages', requested({ messages: [] }), /must not be empty/],
    ['a message of the wrong type', requested({ messages: ['hi'] }), /messages\[0\] must be/],
    ['a missing role', requested({ messages: [{ content: '' }] }), /role is missing/],
    ['a missing content', requested({ messages: [message, { role: 'user' }] }), /\[1\]\.content/],
    [
      'content in parts',
      requested({ messages: [{ role: 'user', content: [] }] }),
      /content must be a string/,
    ],
    ['an unknown role', requested({ messages: [{ ...message, role: 'tool' }] }), /"tool"/],
    ['an unknown field', requested({ messages: [{ ...message, name: 'x' }] }), /"name"/],
    [
      'unsupported parameters, each by name',
      requested({ temperature: 1, top_p: 1 }),
      /"temperature", "top_p"/,
    ],
    ['a stream of the wrong type', requested({ stream: 1 }), /"stream"/],
    ['a max_tokens of 0', requested({ max_tokens: 0 }), /"max_tokens"/],
    ['a fractional max_tokens', requested({ max_tokens: 1.5 }), /integer/],
  ])('answers %s', async (_, body, pattern) => {
    const answer = await ask(await openSandbox(), { ...completions, body });
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toEqual({
      name: 'invalid_request',
      message: expect.stringMatching(pattern),
    });
  });

  test('N11 ignores what the contract does not have with lenient', async () => {
    const sandbox = await openSandbox({ lenient: true });
    const body = {
      model: 'origin',
      messages: [{ ...message, name: 'me' }],
      temperature: 1,
      stream_options: { include_usage: true },
      response_format: { type: 'json_object' },
      tools: [],
      n: 1,
      max_completion_tokens: 5,
    };
    expect((await ask(sandbox, { ...completions, body })).status).toBe(200);
    const wrong = await ask(sandbox, { ...completions, body: { ...body, max_tokens: 0 } });
    expect(wrong.status).toBe(400);
  });

  test('joins text parts and takes a developer for system with lenient', async () => {
    const sandbox = await openSandbox({ lenient: true });
    const text = (...texts: string[]) => texts.map((part) => ({ type: 'text', text: part }));
    const messages = [
      { role: 'developer', content: text('be brief') },
      { role: 'user', content: text('[sandbox ec', 'ho] hello') },
    ];
    const body = { model: 'origin', messages };
    const answer = await ask(sandbox, { ...completions, body });
    expect(JSON.parse(answer.text)).toMatchObject({
      choices: [{ message: { content: 'hello' } }],
    });
    const image = [{ role: 'user', content: [{ type: 'image_url' }] }];
    const refused = await ask(sandbox, { ...completions, body: { ...body, messages: image } });
    expect(errorOf(refused).message).toBe('messages[0].content must be a string');
    expect((await ask(await openSandbox(), { ...completions, body })).status).toBe(400);
  });

  test('answers a Content-Type other than JSON', async () => {
    const headers = { 'content-type': 'text/plain' };
    const answer = await complete(await openSandbox(), 'hello', {}, { headers });
    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toContain('text/plain');
  });

  test('answers a body over its size limit', async () => {
    const body = Buffer.alloc(33 * 1024 * 1024, ' ');
    const answer = await ask(await openSandbox(), { ...completions, body });
    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toMatch(/bytes/);
  });

  test('answers a prompt over the model’s window, which fits the larger model', async () => {
    const sandbox = await openSandbox();
    const prompt = ' word'.repeat(128_000);
    const refused = await complete(sandbox, prompt);
    expect(refused.status).toBe(400);
    expect(errorOf(refused).message).toContain('128003 tokens, over the 128000 of "origin"');
    expect((await complete(sandbox, prompt, { model: 'nextgen' })).status).toBe(200);
  });
});

describe('404 not_found', () => {
  test.each([
    ['POST', '/chat/completions', 'did you mean /v1/chat/completions?'],
    ['GET', '/v1/v1/models', 'did you mean /v1/models?'],
    ['GET', '/chat/completions', undefined],
  ])('N11 names the path that is near %s %s', async (method, path, hint) => {
    const { message: text } = errorOf(await ask(await openSandbox(), { method, path }));
    const problem = `there is no ${method} ${path}`;
    expect(text).toBe(hint === undefined ? problem : `${problem}; ${hint}`);
  });

  test.each([
    ['an unknown path', { path: '/v1/nothing' }],
    ['a path without the prefix', { path: '/models' }],
    ['an unknown model', { path: '/v1/models/gpt' }],
    ['an escaped id', { path: '/v1/models/origin%2Fx' }],
    ['an id that cannot be decoded', { path: '/v1/models/%ff' }],
    ['a different method', { method: 'DELETE', path: '/v1/models' }],
    ['a different method for completions', { path: '/v1/chat/completions' }],
    ['an unknown model in a body', { ...completions, body: { model: 'gpt', messages: [message] } }],
  ])('answers %s', async (_, question) => {
    const answer = await ask(await openSandbox(), question);
    expect(answer.status).toBe(404);
    expect(errorOf(answer).name).toBe('not_found');
  });

  test('ignores a query', async () => {
    expect((await ask(await openSandbox(), { path: '/v1/models?version=1' })).status).toBe(200);
  });
});

describe('429 rate_limited', () => {
  const key = 'sandbox-key-free-tier';

  test('answers requests over the limit, every other time with Retry-After', async () => {
    const sandbox = await openSandbox();
    const answers = [];
    for (let count = 0; count < 7; count += 1) answers.push(await ask(sandbox, { key }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429, 429, 429]);
    expect(answers.slice(3).map(({ headers }) => headers['retry-after'])).toEqual([
      '10',
      undefined,
      '10',
      undefined,
    ]);
    expect(errorOf(answers[3] ?? { text: '{}' }).name).toBe('rate_limited');
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

  test('counts keys separately, and does not limit the default key', async () => {
    const sandbox = await openSandbox();
    for (let count = 0; count < 5; count += 1) await ask(sandbox, { key });
    expect((await ask(sandbox)).status).toBe(200);
  });

  test('applies the limit of the options to every key', async () => {
    const sandbox = await openSandbox({ rateLimit: { requests: 1, seconds: 60 } });
    expect((await ask(sandbox)).status).toBe(200);
    expect((await ask(sandbox)).headers['retry-after']).toBe('60');
  });
});
