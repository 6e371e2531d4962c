import { describe, expect, test } from 'vitest';
import { ask, deltas, jsonOf, openSandbox, rule, stream } from './sandbox-helpers.ts';

async function answerWith(fields: string) {
  return stream(await openSandbox(), `[sandbox echo ${fields}] hello`);
}

describe('statuses, bodies and headers', () => {
  test.each([
    [400, 'invalid_request'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [429, 'rate_limited'],
    [500, 'server_error'],
    [503, 'service_unavailable'],
    [529, 'server_error'],
  ])('%i has the name %s', async (status, name) => {
    const answer = await answerWith(`status=${status} message="simulated"`);
    expect(answer.status).toBe(status);
    expect(jsonOf(answer)).toEqual({ error: { name, message: 'simulated' } });
  });

  test.each([
    ['nested', '{"error":{"name":"server_error","message":"m"}}'],
    ['typed', '{"error":{"message":"m","type":"server_error","param":null,"code":"server_error"}}'],
    ['numeric', '{"error":{"code":500,"message":"m","status":"SERVER_ERROR"}}'],
    ['flat', '{"name":"server_error","message":"m"}'],
    ['detail', '{"name":"server_error","detail":"m"}'],
    ['string', '{"error":"m"}'],
    ['list', '{"errors":[{"name":"server_error","message":"m"}]}'],
    ['text', 'm', 'text/plain'],
    ['html', '<h1>500 server_error</h1><p>m</p>', 'text/html'],
    ['empty', ''],
  ])('sends the error shape %s as %s', async (shape, body, type = 'application/json') => {
    const { headers, text } = await answerWith(`500 message=m shape=${shape}`);
    expect(headers['content-type']).toBe(type);
    expect(text.replace(/^<!doctype[^]*<body>|<\/body>[^]*$/g, '')).toBe(body);
  });

  test('applies the shape to the sandbox’s own errors', async () => {
    const sandbox = await openSandbox({ faults: [rule('shape=string')] });
    expect(jsonOf(await ask(sandbox, { path: '/v1/models/gpt' }))).toEqual({
      error: expect.stringContaining('gpt'),
    });
  });

  test.each([
    ['body=\'{"a":1}\'', 'application/json', '{"a":1}'],
    ["body='<html>x'", 'text/html', '<html>x'],
    ['body="data: [DONE]\\n\\n"', 'text/event-stream', 'data: [DONE]\n\n'],
    ['body=hello content-type=image/png', 'image/png', 'hello'],
    ['body=""', 'text/plain', ''],
  ])('sends %s unchanged', async (fields, type, body) => {
    const answer = await answerWith(fields);
    expect(answer).toMatchObject({ status: 200, text: body });
    expect(answer.headers['content-type']).toBe(type);
  });

  test('combines any status with any body and headers', async () => {
    const answer = await answerWith('status=307 body=x headers="Location: http://127.0.0.1:1/"');
    expect(answer).toMatchObject({ status: 307, text: 'x' });
    expect(answer.headers['location']).toBe('http://127.0.0.1:1/');
  });

  test('204 has no body', async () => {
    expect(await answerWith('204')).toMatchObject({ status: 204, text: '' });
  });

  test.each([
    ['retry-after=soon', 429, 'soon'],
    ['retry-after=""', 429, ''],
    ['503 retry-after=2', 503, '2'],
    ['retry-after=date+3', 429, 'Sat, 21 Nov 2026 12:00:03 GMT'],
    ['retry-after=date-3', 429, 'Sat, 21 Nov 2026 11:59:57 GMT'],
  ])('%s sends a %i with the header %s', async (fields, status, sent) => {
    const answer = await answerWith(fields);
    expect(answer.status).toBe(status);
    expect(answer.headers['retry-after']).toBe(sent);
  });

  test('sends a request id with every answer', async () => {
    const sandbox = await openSandbox();
    await ask(sandbox);
    expect((await ask(sandbox, { key: null })).headers['x-request-id']).toBe('sandbox-request-2');
  });

  test.each([
    ['array', [{ id: 'origin' }, { id: 'nextgen' }]],
    ['models', { models: [{ id: 'origin' }, { id: 'nextgen' }] }],
    ['bare', { data: [{ id: 'origin' }, { id: 'nextgen' }] }],
  ])('sends the model list shape %s as its summary describes', async (shape, body) => {
    const sandbox = await openSandbox({ faults: [rule(`models-shape=${shape}`)] });
    expect(jsonOf(await ask(sandbox))).toMatchObject(body);
  });

  test('sends hostile text in errors and model ids, too', async () => {
    const sandbox = await openSandbox({ faults: [rule('hostile')] });
    expect(JSON.stringify(jsonOf(await ask(sandbox)))).toContain(String.raw`\u001b[31m`);
    const refused = await ask(sandbox, { path: '/v1/models/gpt' });
    expect(refused.text).toContain(String.raw`\u001b[31m`);
    const answer = await stream(sandbox, '[sandbox echo] the reply');
    expect(deltas(answer).join('')).toMatch(/colour: before\u001b\[31mafter[^]*the reply$/);
  });

  test('answers an error in a group with 400 and the prompt that lists the fields', async () => {
    const answer = await stream(await openSandbox(), '[sandbox poem] x');
    expect(answer.status).toBe(400);
    expect(jsonOf(answer)['error']).toMatchObject({
      name: 'invalid_request',
      message: 'there is no field "poem"; the prompt "[sandbox help]" lists the fields',
    });
  });
});
