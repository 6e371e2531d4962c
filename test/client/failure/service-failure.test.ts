import { expect, test } from 'vitest';
import { readErrorValue } from '../../../src/client/failure/error-body.ts';
import { reportedError, serviceFailure } from '../../../src/client/failure/service-failure.ts';
import { unmasked } from '../../support/secret.ts';

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
