import { expect, test } from 'vitest';
import { readErrorValue } from '../../../src/client/failure/error-body.ts';
import {
  kindOfError,
  reportedError,
  serviceFailure,
} from '../../../src/client/failure/service-failure.ts';
import { unmasked } from '../../support/secret.ts';

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
