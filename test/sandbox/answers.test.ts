import { describe, expect, test } from 'vitest';
import {
  ask,
  chunks,
  createSkippingClock,
  deltas,
  jsonOf,
  openSandbox,
  rule,
  stream,
} from './sandbox-helpers.ts';

const answerWith = async (fields: string) =>
  stream(await openSandbox(), `[sandbox echo ${fields}] one two three four`);

const whole = 'one two three four';

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

/** The bytes around the second event, which has this data. */
const second = (data: string) => new RegExp(`"one"[^\n]*\n\ndata: ${data}\n\n[^]*" three"`);
const lastChunk = String.raw`"delta":\{"content":""\}`;

describe('the bytes of a stream', () => {
  test.each([
    ['no-done', /"usage":\{[^}]*\}\}\n\n$/],
    ['no-finish-reason', new RegExp(`${lastChunk}\\}\\],"usage"`)],
    ['finish-reason=stopped', new RegExp(`${lastChunk},"finish_reason":"stopped"`)],
    ['after-done', /data: \[DONE\]\n\ndata: \{.*"content":" text after the end"\}\}\]\}\n\n$/],
    ['refusal', /^(?:data: .*"refusal":" ?\w+"\}\}\]\}\n\n){4}data: .*"content":""/],
    ['error-at=2', /"one"[^\n]*\n\ndata: \{"error":\{"name":"server_error".*\n\n$/],
    ['error-at=1 error-as=event', /^event: error\ndata: \{"error".*\}\n\n$/],
    ['error-at=2 shape=string message=no', /"one"[^\n]*\n\ndata: \{"error":"no"\}\n\n$/],
    ['malformed-at=2', second(String.raw`\{"id":"chatcmpl-sandbox[^}]*`)],
    ['malformed-at=2 malformed-as=text', second('this is not JSON')],
    ['malformed-at=2 malformed-as=html', second('<html>.*')],
    ['malformed-at=2 malformed-as=two', second(String.raw`(\{.*\}) \1`)],
    ['malformed-at=2 malformed-as=scalar', second('42')],
    ['malformed-at=2 malformed-as=null', second('null')],
    ['malformed-at=2 malformed-as=empty', second('')],
    ['malformed-at=2 malformed-as=comment', second(': keep-alive')],
    ['malformed-at=2 malformed-as=utf8', second('.*a\ufffdb.*')],
    ['usage=none', /^(?:(?!usage)[^])*$/],
    ['usage=finish', /^(?:(?!data: .*usage).*\n){8}data: .*"stop"\}\],"usage"/],
    ['usage=last', /"finish_reason":"stop"\}\]\}\n\ndata: .*"choices":\[\],"usage"/],
    ['usage=every', /^(?:data: .*"usage":.*\n\n){5}data: \[DONE\]/],
    ['cached=3', /"prompt_tokens_details":\{"cached_tokens":3\}/],
    ['data-spaces=0', /^data:\{/],
    ['data-spaces=2', /^data: {2}\{/],
    ['bom', /^\ufeffdata: /],
    ['bom=2', /^\ufeff\ufeffdata: /],
    ['comments=2', /^: comment\n: comment\ndata: /],
    ['extra-fields', /^id: 1\nretry: 10\nevent\nx-unknown: 1\nno colon\ndata: /],
    ['data-lines', /^data: \{\ndata: {2}"id": "chatcmpl-sandbox1",\n/],
    ['unterminated rate=5', /^(?:data: .*\n\n){5}data: \[DONE\]$/],
    ['line-ending=lf', /^(?:data: [^\r\n]*\n\n){6}$/],
    ['line-ending=crlf', /^(?:data: [^\r\n]*\r\n\r\n){6}$/],
    ['line-ending=cr', /^(?:data: [^\r\n]*\r\r){6}$/],
    ['line-ending=mixed', /^(?:data: .*\r\n\r\ndata: [^\r]*\r\rdata: .*\n\n){2}$/],
  ])('%s', async (fields, text) => {
    const answer = await answerWith(fields);
    expect(answer.isComplete).toBe(true);
    expect(answer.text).toMatch(text);
  });
});

describe('deltas', () => {
  test('split=utf16 splits surrogate pairs and escape sequences', async () => {
    const answer = await stream(await openSandbox(), '[sandbox echo split=utf16] 😀\u001b[31m');
    expect(deltas(answer)).toEqual(['\ud83d', '\ude00', '\u001b', '[', '3', '1', 'm']);
  });

  test('split=5 sends deltas of five units', async () => {
    expect(deltas(await answerWith('split=5'))).toEqual(['one t', 'wo th', 'ree f', 'our']);
  });

  test.each([
    ['odd-chunks=false', ['assistant', undefined]],
    ['reasoning', ['assistant', undefined]],
    ['refusal', ['assistant', undefined]],
    ['usage=every', ['assistant', undefined]],
    ['role=none', [undefined, undefined]],
    ['role=first', ['assistant', undefined]],
    ['role=every', ['assistant', 'assistant']],
    ['role=null', [null, null]],
    ['role=empty', ['', '']],
  ])('Y21: with %s, the first two deltas have the roles %j', async (fields, roles) => {
    const [first, next] = chunks(await answerWith(fields));
    expect([first, next].map((chunk) => chunk?.choices[0]?.delta?.role)).toEqual(roles);
  });

  test('Y21: an answer without text has the role in its last chunk', async () => {
    const answer = await stream(await openSandbox(), '[sandbox echo]');
    expect(chunks(answer)[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
  });

  test.each(['empty-choices', 'odd-chunks', 'reasoning', 'role', 'hostile=false'])(
    '%s does not change the text',
    async (field) => {
      const texts = chunks(await answerWith(field))
        .flatMap(({ choices }) => choices)
        .filter(({ index, delta }) => index === 0 && typeof delta?.content === 'string');
      expect(texts.map(({ delta }) => delta?.content).join('')).toBe(whole);
    },
  );

  test('no-stream sends JSON for a stream', async () => {
    const answer = await answerWith('no-stream');
    expect(answer.headers['content-type']).toBe('application/json');
    expect(jsonOf(answer)).toMatchObject({ choices: [{ message: { content: whole } }] });
  });
});

describe('time', () => {
  test.each([
    ['tokens=2 drip=7ms', [18, 7, 7, 7]],
    ['echo stall-after=2 stall-for=5s', [18, 5000]],
  ])('%s waits for %j milliseconds, and sends the whole answer', async (fields, waits) => {
    const clock = createSkippingClock();
    const answer = await stream(await openSandbox({ clock }), `[sandbox ${fields}] a b c`);
    expect(clock.waits).toEqual(waits);
    expect(answer.text).toMatch(/\[DONE\]\n\n$/);
  });

  test('delay waits before the headers of any answer', async () => {
    const clock = createSkippingClock();
    await ask(await openSandbox({ clock, faults: [rule('delay=2s')] }));
    expect(clock.waits).toEqual([2000]);
  });

  test('rate spreads the events over time', async () => {
    const clock = createSkippingClock();
    await stream(await openSandbox({ clock }), '[sandbox tokens=11 rate=5]');
    expect(clock.waits.reduce((sum, wait) => sum + wait)).toBeCloseTo(18 + 12 * 200);
  });

  test('keep-alive sends comments during a stall', async () => {
    const answer = await answerWith('stall-after=1 stall-for=3500 keep-alive=1000');
    expect(answer.text.match(/^: keep-alive\n\n/gm)).toHaveLength(3);
    expect(deltas(answer).join('')).toBe(whole);
  });

  test.each([
    [{}, 'origin', 18],
    [{}, 'nextgen', 20],
    [{ origin: 500 }, 'origin', 500],
  ])('with the latencies %j, %s needs %i ms to its first event', async (latency, model, wait) => {
    const clock = createSkippingClock();
    await stream(await openSandbox({ clock, latency }), 'hello', { model });
    expect(clock.waits).toEqual([wait]);
  });
});
