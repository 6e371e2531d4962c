import { describe, expect, test } from 'vitest';
import { read, user } from './read-helpers.ts';

describe('OpenAI batch requests', () => {
  const request = (fields: object) =>
    JSON.stringify({
      custom_id: 'r1',
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'm', messages: user('hi') },
      ...fields,
    });
  const readRequest = async (fields: object) => (await read(`${request(fields)}\n`))[0];

  test('are recognised without a format, and keep every field of the body', async () => {
    const body = {
      model: 'nextgen',
      messages: user('hi'),
      max_tokens: 5,
      stream: false,
      temperature: 0,
      vendor_field: { a: [1] },
    };
    expect(await readRequest({ body })).toEqual({
      index: 1,
      line: 1,
      id: 'r1',
      content: {
        messages: user('hi'),
        model: 'nextgen',
        maxTokens: 5,
        stream: false,
        params: { temperature: 0, vendor_field: { a: [1] } },
      },
    });
  });

  test('may have messages with parts, and an absolute url', async () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
    const item = await readRequest({
      url: 'https://x.example/openai/v1/chat/completions?v=2',
      body: { messages },
    });
    expect(item?.content).toEqual({ messages });
  });

  test.each([
    [{ method: 'GET' }, 'has a method other than "POST"'],
    [{ url: '/v1/embeddings' }, 'has a url other than "/v1/chat/completions"'],
    [{ custom_id: 7 }, 'has no custom_id'],
    [{ body: 'x' }, 'has no body that is a JSON object'],
    [{ body: { model: 'm' } }, 'has a body without messages, a list of {role, content}'],
    [{ body: { messages: user('x'), stream: 1 } }, 'has stream that is neither true nor false'],
    [{ body: { messages: user('x'), model: 7 } }, 'has a model that is not text'],
  ])('with %j are invalid items', async (fields, problem) => {
    expect((await readRequest(fields))?.problem).toContain(problem);
  });

  test('X14: with a number that cannot be sent unchanged are invalid items', async () => {
    const [item] = await read(request({}).replace('"m"', '"m","seed":12345678901234567890'));
    expect(item?.problem).toContain('has the number 12345678901234567890 in "body"');
  });
});
