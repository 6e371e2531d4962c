import { expect, test } from 'vitest';
import {
  type ErrorBody,
  parseErrorBody,
  readErrorValue,
  shortText,
} from '../../../src/client/failure/error-body.ts';
import {
  reportedError,
  requestIdOf,
  serviceFailure,
} from '../../../src/client/failure/service-failure.ts';
import { unmasked } from '../../support/secret.ts';
import { fc } from '../../support/properties.ts';

const noon = new Date('2026-11-20T12:00:00Z');

function failure(status: number, text = '', headers: Record<string, string> = {}, sent = {}) {
  const body = Buffer.from(JSON.stringify({ model: 'origin', messages: [], ...sent }));
  const url = new URL('https://api.test/v1/chat/completions');
  const request = { method: 'POST', url, headers: {}, body, isPathGuessed: true } as const;
  return serviceFailure({ status, headers, text }, noon, request, unmasked);
}

test.each([
  [400, 'invalid_request', false],
  [401, 'unauthorized', false],
  [402, 'forbidden', false],
  [403, 'forbidden', false],
  [404, 'not_found', false],
  [405, 'invalid_request', false],
  [408, 'server_error', true],
  [409, 'invalid_request', false],
  [413, 'invalid_request', false],
  [422, 'invalid_request', false],
  [429, 'rate_limited', true],
  [500, 'server_error', true],
  [501, 'server_error', false],
  [502, 'server_error', true],
  [503, 'server_error', true],
  [504, 'server_error', true],
  [505, 'server_error', false],
  [529, 'server_error', true],
])('R14 R15 R16 status %d means %s; transient: %s', (status, kind, transient) => {
  expect(failure(status)).toMatchObject({ kind, transient, status });
  expect(reportedError(readErrorValue({ code: status }, unmasked)).kind).toBe(kind);
});

test.each([
  [500, 'false', false],
  [400, 'true', true],
  [429, 'maybe', true],
  [501, 'true', true],
])('R11 status %d with x-should-retry %s: transient: %s', (status, advice, transient) => {
  expect(failure(status, '', { 'x-should-retry': advice }).transient).toBe(transient);
});

test('R11 an exhausted quota is not retried', () => {
  expect(failure(429, '{"error":{"message":"so","code":"insufficient_quota"}}')).toMatchObject({
    kind: 'rate_limited',
    transient: false,
    message: 'quota exhausted (429): so',
  });
});

test('prefers the status to the name in the body, which counts for an unknown status', () => {
  expect(failure(401, '{"error":{"name":"not_found"}}').kind).toBe('unauthorized');
  expect(failure(420, '{"error":{"name":"rate_limited"}}').kind).toBe('rate_limited');
});

test.each([
  [400, '{"error":{"detail":"so"}}', 'the service rejected the request as invalid (400): so'],
  [502, '<title>502 Bad</title><p>nginx', 'the service failed (502): 502 Bad'],
  [501, '<title>Error</title>', 'the server does not offer the chat API (501): Error'],
  [505, '', 'the server does not offer the chat API (505)'],
])('R14 a %d with the body %s says what happened, and the reason', (status, text, message) => {
  expect(failure(status, text).message).toBe(message);
});

test('has the request id and the requested wait', () => {
  const headers = { 'x-request-id': 'abc', 'retry-after': '7' };
  expect(failure(429, '', headers)).toMatchObject({
    requestId: 'abc',
    retryAfterSeconds: 7,
  });
});

test.each([
  [401, 'sign-in'],
  [501, 'check-base-url'],
])('a %d has the remedy %s', (status, code) => {
  expect(failure(status).remedy).toEqual({ code });
});

test.each([
  ['unsupported parameter: "temperature"', 'remove-parameter'],
  ['Unrecognized request argument supplied: top_k', 'remove-parameter'],
  ["Unknown parameter: 'min_p'.", 'remove-parameter'],
  ['messages must not be empty', 'check-request'],
])('a 400 with the message %s to a request with parameters has the remedy %s', (message, code) => {
  const text = JSON.stringify({ error: { message } });
  expect(failure(400, text, {}, { temperature: 1 }).remedy).toEqual({ code });
});

test('a 400 to a request with only the fields of the contract blames no parameter', () => {
  const text = '{"error":{"message":"unknown field max_tokens"}}';
  const sent = { stream: true, max_tokens: 5 };
  expect(failure(400, text, {}, sent).remedy).toEqual({ code: 'check-request' });
});

test.each([
  [400, { error: { message: 'Model Not Exist', type: 'invalid_request_error' } }],
  [400, { object: 'error', message: 'Invalid model: origin', type: 'invalid_model', code: '1500' }],
  [400, { error: { message: 'origin is not a valid model ID', code: 400 } }],
  [400, { error: { message: '400: {error: Invalid model name passed in model=origin.}' } }],
  [404, { error: { message: 'The model `origin` does not exist or you may not use it.' } }],
  [404, { error: { message: 'model "origin" not found, try pulling it first' } }],
  [404, { error: { message: 'models/origin is not found for API version v1main' } }],
  [500, { error: { message: "'origin' does not exist" } }],
  [422, { detail: 'Unknown model "origin"' }],
  [403, { error: { code: 'model_not_found' } }],
])('N6: a %d with %j means an unknown model', (status, body) => {
  expect(failure(status, JSON.stringify(body))).toMatchObject({
    kind: 'not_found',
    remedy: { code: 'choose-model' },
    message: expect.stringMatching(/^the service does not know this model \(/),
  });
});

test.each([
  "'temperature' is not supported with this model",
  'Invalid model parameters: temperature must be below 2',
  'the model is overloaded',
  'origin does not support images',
  'no such file: notes.md does not exist',
  'This model has a window of 8192 tokens. However, your prompt has 9000 tokens.',
])('N6: a 400 with "%s" does not mean an unknown model', (message) => {
  const text = JSON.stringify({ error: { message } });
  expect(failure(400, text)).toMatchObject({ kind: 'invalid_request' });
});

test('N6: a 402 means that the account has no credit', () => {
  expect(failure(402, '{"error":{"message":"Insufficient Balance"}}')).toMatchObject({
    kind: 'forbidden',
    transient: false,
    message: expect.stringMatching(/no credit left \(402\): Insufficient Balance$/) as string,
    remedy: { code: 'check-quota' },
  });
});

test.each([
  ['too large', true, 'slow-down'],
  ['Request too large, limit 6000', true, 'shorten-or-wait'],
  ['Request too large: Limit 6000, Requested 9000', false, 'shorten-or-wait'],
  ['Request too large: Limit 6000, Used 4000, Requested 3000', true, 'shorten-or-wait'],
])('N6: "%s" with the name of a rate limit: transient: %s', (message, transient, code) => {
  const text = JSON.stringify({ error: { message, code: 'rate_limit_exceeded' } });
  for (const status of [400, 413, 429]) {
    expect(failure(status, text)).toMatchObject({
      kind: 'rate_limited',
      transient,
      message: `rate limited by the service (${status}): ${message}`,
      remedy: { code },
    });
  }
});

test.each([
  [400, { error: { message: 'too long', code: 'context_length_exceeded' } }],
  [400, { error: { message: 'prompt is too long: 210000 tokens > 200000 maximum' } }],
  [400, { error: { message: 'the request exceeds the window by 1,200 tokens' } }],
  [400, { error: { message: 'the prompt is over the limit by 1200 tokens' } }],
  [422, { error: { message: 'prompt refused', n_ctx: 4096 } }],
  [413, '413 Request Entity Too Large'],
])('N1: a %d with %j asks for a shorter prompt', (status, body) => {
  expect(failure(status, JSON.stringify(body))).toMatchObject({
    kind: 'invalid_request',
    remedy: { code: 'shorten-prompt' },
  });
});

test.each(['', '<html>404</html>', '{"error":{"code":404,"message":"Resource not found"}}'])(
  'N3 a 404 with the body %j names the address, and the path that natter added',
  (text) => {
    const { message, hint } = failure(404, text);
    expect(message).toContain(
      'the service does not know the address https://api.test/v1/chat/completions (404)',
    );
    expect(hint).toContain('natter added /v1 to the base URL');
  },
);

test('N3 a 404 about a model is not one about the address', () => {
  const { message, hint, remedy } = failure(404, '{"error":{"message":"no model nextgen"}}');
  expect(message).toBe('the service does not know this model or address (404): no model nextgen');
  expect(hint).toBeUndefined();
  expect(remedy).toEqual({ code: 'check-model' });
});

test.each([
  [{ name: 'forbidden' }, 'forbidden'],
  [{ error: 'Rate_Limited', code: 500 }, 'rate_limited'],
  [{ code: 404, type: 'server_trouble' }, 'not_found'],
  [{ code: 402 }, 'forbidden'],
  [{ status: 599 }, 'server_error'],
  [
    { error: { type: 'invalid_request_error', code: 'context_length_exceeded' } },
    'invalid_request',
  ],
  [{ error: { type: 'invalid_request_error', code: 'invalid_api_key' } }, 'unauthorized'],
  [{ error: { type: 'invalid_request_error', code: 'model_not_found' } }, 'not_found'],
  [{ type: 'exceed_context_size_error' }, 'invalid_request'],
  [{ type: 'authentication_error' }, 'unauthorized'],
  [{ type: 'permission_error' }, 'forbidden'],
  [{ type: 'rate_limit_exceeded' }, 'rate_limited'],
  [{ code: 'insufficient_quota' }, 'rate_limited'],
  [{ status: 'RESOURCE_EXHAUSTED' }, 'rate_limited'],
  [{ status: 'INVALID_ARGUMENT' }, 'invalid_request'],
  [{ type: 'overloaded_error' }, 'server_error'],
  [{ code: 'context_deadline_exceeded' }, 'server_error'],
  [{ message: 'no name at all' }, 'server_error'],
])('S12 %j is %s', (body, kind) => {
  expect(reportedError(readErrorValue(body, unmasked)).kind).toBe(kind);
});

test('N6: an error within a stream that names an unknown model has its hint', () => {
  const error = readErrorValue({ error: "Model 'origin' does not exist" }, unmasked);
  expect(reportedError(error)).toMatchObject({
    kind: 'not_found',
    remedy: { code: 'choose-model' },
  });
});

type Summary = Pick<ErrorBody, 'message' | 'status'> & { readonly name?: string };

const parse = (text: string, contentType?: string) => parseErrorBody(text, contentType, unmasked);

const error = (fields: object) => ({ error: { message: 'm', ...fields } });
const named = (name: string, more: Summary = {}): Summary => ({ name, message: 'm', ...more });

test.each<readonly [body: unknown, summary: Summary]>([
  [error({ name: 'rate_limited' }), named('rate_limited')],
  [{ error: { code: 'not_found', detail: 'm' } }, named('not_found')],
  [error({ type: 'invalid', param: null, code: null }), named('invalid')],
  [error({ type: 'invalid', code: 'model_not_found' }), named('model_not_found')],
  [{ name: 'forbidden', message: 'm' }, named('forbidden')],
  [{ error: 'unauthorized', message: 'm' }, named('unauthorized')],
  [{ error: 'model is busy' }, { message: 'model is busy' }],
  [{ error: 'unauthorized' }, named('unauthorized', { message: 'unauthorized' })],
  [{ detail: 'm' }, { message: 'm' }],
  [
    { detail: [{ loc: ['body', 'messages', 0], msg: 'required', type: 'missing' }, { msg: 'n' }] },
    named('missing', { message: 'body.messages.0: required; n' }),
  ],
  [{ detail: error({ code: 'server_error' }) }, named('server_error')],
  [{ errors: [{ message: 'm' }] }, { message: 'm' }],
  [[error({ code: 404, status: 'NOT_FOUND' })], named('NOT_FOUND', { status: 404 })],
  [error({ code: 400, type: 'exceed_context' }), named('exceed_context', { status: 400 })],
  [error({ code: '503' }), { message: 'm', status: 503 }],
  // A number that is not a status.
  [error({ code: 1001 }), { message: 'm' }],
  [
    { type: 'about:blank', title: 'No', status: 403, detail: 'm' },
    { message: 'm', status: 403 },
  ],
  // A status that is not a name.
  [{ status: 'error', message: 'm' }, { message: 'm' }],
  ['m', { message: 'm' }],
  [{}, {}],
  [null, {}],
  [error({ message: '', code: '' }), {}],
  [{ message: ' a\n\tb \r\n' }, { message: 'a b' }],
])('reads the JSON %j as %j', (body, summary) => {
  const { names, message, status } = parse(JSON.stringify(body), 'application/json');
  expect({ name: names[0], message, status }).toStrictEqual({
    name: undefined,
    message: undefined,
    status: undefined,
    ...summary,
  });
});

test.each([
  ['plain text', 'Internal Server Error\n', 'text/plain', 'Internal Server Error'],
  ['no type', 'busy', undefined, 'busy'],
  [
    'a page with a title',
    '<html><TITLE lang=en>\n502 &amp; up</TITLE></head>s',
    'text/html',
    '502 & up',
  ],
  ['a page called JSON', '\n<!DOCTYPE html><title>Down</title>', 'application/json', 'Down'],
  [
    'N13: a page without a title',
    '<html><style>p {}</style><body><h1>502</h1><!-- no --><p>Bad &amp;\nold</body></html>',
    'text/html',
    '502 Bad & old',
  ],
  ['a page with an unfinished title', '<html><title>Down', 'text/html', 'Down'],
  ['an empty title', '<title> </title>', 'text/html', undefined],
  ['XML', '<?xml version="1.0"?><Error><Code>secret</Code></Error>', 'application/xml', undefined],
  ['broken JSON', '{"error": {"message": "secret', 'application/json', undefined],
  ['an empty body', '', 'application/json', undefined],
  ['white space', ' \n ', undefined, undefined],
])('a body that is not JSON: %s', (_, body, type, message) => {
  expect(parse(body, type).message).toBe(message);
});

test('cuts a long message, but never within a character', () => {
  const { message = '' } = parse(`a${'😀'.repeat(5000)}`);
  expect(message).toBe(`a${'😀'.repeat(249)}…`);
});

test('reads any JSON, however deep, without throwing and without more than 500 characters', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 12 }), (body) => {
      expect((parse(body).message ?? '').length).toBeLessThanOrEqual(501);
    }),
  );
  const deep = '{"error":'.repeat(5000) + '"m"' + '}'.repeat(5000);
  expect(parse(deep)).toStrictEqual({ names: [] });
});

test('N13: shows at most 200 characters of a page without a title', () => {
  expect(parse(`<p>${'word '.repeat(100)}`, 'text/html').message).toMatch(/^.{150,200}…$/);
});

test('searches for a title in linear time', () => {
  expect(parse('<title '.repeat(1_000_000)).message).toBeUndefined();
});

test.each([
  [3, 'm'],
  [4, undefined],
])('a message %d levels below the error is %s', (levels, message) => {
  let value: unknown = 'm';
  for (let level = 0; level < levels; level += 1) value = [value];
  expect(parse(JSON.stringify({ error: value })).message).toBe(message);
});

const secret = 'sk-live-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c';
const mask = (text: string) => text.replaceAll(secret, '***');

/** Texts with the secret at each place around a cut. */
const around = (cut: number) =>
  Array.from(
    { length: 60 },
    (_place, index) => `${'x '.repeat(cut).slice(0, cut - 50 + index)}${secret}`,
  );

test.each([500, 2000])('X2: no part of a secret is left where a text is cut at %d', (cut) => {
  for (const text of around(cut)) {
    const shown = [
      shortText(text, mask),
      parseErrorBody(JSON.stringify({ error: { message: text } }), undefined, mask).message,
      parseErrorBody(text, 'text/plain', mask).message,
      requestIdOf({ 'x-request-id': text }, mask),
    ];
    expect(shown.filter((one) => one?.includes('sk-live'))).toEqual([]);
  }
});
