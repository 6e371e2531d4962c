import { expect, test } from 'vitest';
import { reportedError } from '../../../src/client/failure/reported-error.ts';
import { readErrorValue } from '../../../src/client/failure/error-body.ts';
import { serviceFailure } from '../../../src/client/failure/service-failure.ts';
import { kindOfStatus } from '../../../src/client/failure/error-kind.ts';

const statuses = [
  [302, 'server_error'],
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
  [600, 'server_error'],
] as const;

test.each(statuses)('status %i is %s', (status, kind) => {
  expect(kindOfStatus(status)).toBe(kind);
});

test.each(statuses.filter(([status]) => status >= 400 && status < 600))(
  "status %i is %s as the response's own and inside an answer alike",
  (status, kind) => {
    const now = new Date('2026-11-20T12:00:00Z');
    expect(serviceFailure({ status, headers: {}, text: '' }, now).kind).toBe(kind);
    expect(reportedError(readErrorValue({ code: status })).kind).toBe(kind);
  },
);
