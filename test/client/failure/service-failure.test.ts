import { expect, test } from 'vitest';
import { readErrorValue } from '../../../src/client/failure/error-body.ts';
import {
  kindOfError,
  reportedError,
  serviceFailure,
} from '../../../src/client/failure/service-failure.ts';
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
  const { kind, transient, message } = failure(
    429,
    '{"error":{"message":"You exceeded your current quota.","code":"insufficient_quota"}}',
  );
  expect({ kind, transient }).toEqual({ kind: 'rate_limited', transient: false });
  expect(message).toBe('quota exhausted (429): You exceeded your current quota.');
});

test('prefers the status to the name in the body', () => {
  expect(failure(401, '{"error":{"name":"not_found"}}').kind).toBe('unauthorized');
});

test('uses the name in the body for an unknown status', () => {
  expect(failure(420, '{"error":{"name":"rate_limited"}}').kind).toBe('rate_limited');
});

test("contains the service's message", () => {
  const { message } = failure(
    400,
    '{"error":{"name":"invalid_request","detail":"no model given"}}',
  );
  expect(message).toBe('the service rejected the request as invalid (400): no model given');
});

test('R14 shows only the title of a page', () => {
  const page = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';
  expect(failure(502, page, { 'content-type': 'text/html' }).message).toBe(
    'the service failed (502): 502 Bad Gateway',
  );
});

test.each([501, 505])('a %d means that the server has no chat API', (status) => {
  expect(
    failure(status, '<title>Error response</title>', { 'content-type': 'text/html' }),
  ).toMatchObject({
    message: `the server does not offer the chat API (${status}): Error response`,
    remedy: { code: 'check-base-url' },
  });
});

test('has the request id and the requested wait', () => {
  const headers = { 'x-request-id': 'abc', 'retry-after': '7' };
  expect(failure(429, '', headers)).toMatchObject({
    requestId: 'abc',
    retryAfterSeconds: 7,
  });
});

test('has a remedy for a refused key', () => {
  expect(failure(401).remedy).toEqual({ code: 'sign-in' });
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

const reported = (message: string, more: object = {}) => ({ error: { message, ...more } });

test.each([
  [400, reported('Model Not Exist', { type: 'invalid_request_error' })],
  [400, { object: 'error', message: 'Invalid model: origin', type: 'invalid_model', code: '1500' }],
  [400, reported('origin is not a valid model ID', { code: 400 })],
  [
    400,
    reported(
      '400: {error: Invalid model name passed in model=origin. Call `/v1/models` to view available models}',
    ),
  ],
  [
    404,
    reported('The model `origin` does not exist or you do not have access to it.', {
      code: 'model_not_found',
    }),
  ],
  [404, reported('model "origin" not found, try pulling it first', { type: 'api_error' })],
  [404, reported('models/origin is not found for API version v1main', { code: 404 })],
  [500, reported("'origin' does not exist")],
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
  const text = '{"error":{"message":"Insufficient Balance","type":"unknown_error"}}';
  expect(failure(402, text)).toMatchObject({
    kind: 'forbidden',
    transient: false,
    message:
      'the service asks for payment, the account has no credit left (402): Insufficient Balance',
    remedy: { code: 'check-quota' },
  });
});

test('N6: a 413 with the name of a rate limit is one', () => {
  const text =
    '{"error":{"message":"Request too large, limit 6000","type":"tokens","code":"rate_limit_exceeded"}}';
  expect(failure(413, text)).toMatchObject({
    kind: 'rate_limited',
    transient: true,
    message: 'rate limited by the service (413): Request too large, limit 6000',
  });
});

const tooLarge = (numbers: string) =>
  JSON.stringify({
    error: {
      message: `Request too large for model origin on tokens per minute (TPM): ${numbers}, please reduce your message size and try again.`,
      type: 'tokens',
      code: 'rate_limit_exceeded',
    },
  });

test.each([400, 413, 429])(
  'N6: a %d for more tokens than a minute has is a final rate limit',
  (status) => {
    expect(failure(status, tooLarge('Limit 6000, Requested 9000'))).toMatchObject({
      kind: 'rate_limited',
      transient: false,
      remedy: { code: 'shorten-or-wait' },
    });
    expect(failure(status, tooLarge('Limit 6000, Used 4000, Requested 3000'))).toMatchObject({
      kind: 'rate_limited',
      transient: true,
      remedy: { code: 'shorten-or-wait' },
    });
  },
);

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
  [{ name: 'invalid_request' }, 'invalid_request'],
  [{ name: 'unauthorized' }, 'unauthorized'],
  [{ name: 'forbidden' }, 'forbidden'],
  [{ name: 'not_found' }, 'not_found'],
  [{ name: 'rate_limited' }, 'rate_limited'],
  [{ name: 'server_error' }, 'server_error'],
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
  expect(kindOfError(readErrorValue(body, unmasked))).toBe(kind);
});

const statuses = [
  [400, 'invalid_request'],
  [401, 'unauthorized'],
  [402, 'forbidden'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [408, 'server_error'],
  [413, 'invalid_request'],
  [422, 'invalid_request'],
  [429, 'rate_limited'],
  [500, 'server_error'],
  [503, 'server_error'],
  [529, 'server_error'],
] as const;

test.each(statuses)('status %i is %s for a response and within an answer', (status, kind) => {
  const now = new Date('2026-11-20T12:00:00Z');
  const request = {
    method: 'POST',
    url: new URL('https://api.test/v1/chat/completions'),
    headers: {},
  } as const;
  expect(serviceFailure({ status, headers: {}, text: '' }, now, request, unmasked).kind).toBe(kind);
  expect(reportedError(readErrorValue({ code: status }, unmasked)).kind).toBe(kind);
});

test('N6: an error within a stream that names an unknown model has its hint', () => {
  const error = readErrorValue({ error: "Model 'origin' does not exist" }, unmasked);
  expect(reportedError(error)).toMatchObject({
    kind: 'not_found',
    remedy: { code: 'choose-model' },
  });
});
