import { expect, test } from 'vitest';
import { readErrorValue } from '../../../src/client/failure/error-body.ts';
import { kindOfError } from '../../../src/client/failure/reported-error.ts';

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
  expect(kindOfError(readErrorValue(body))).toBe(kind);
});
