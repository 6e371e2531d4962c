import { expect, test } from 'vitest';
import { retryAfter } from '../../../src/client/http/response-headers.ts';

const now = new Date('2026-11-20T12:00:00Z');

test.each([
  ['R2 whole seconds', '1', 1000],
  ['R3 zero', '0', 0],
  ['R4 fractions', '0.1', 100],
  ['R5 an HTTP-date', 'Fri, 20 Nov 2026 12:00:03 GMT', 3000],
  ['R6 an RFC 850 date', 'Friday, 20-Nov-26 12:00:03 GMT', 3000],
  ['R6 an asctime date', 'Fri Nov 20 12:00:03 2026', 3000],
  ['R6 an asctime date with a padded day', 'Tue Dec  1 12:00:00 2026', 11 * 86_400_000],
  ['R9 more than the limit', '120', 120_000],
  ['R9 far too much', '999999999999', 999_999_999_999_000],
  ['R9 more than a number can represent', '9'.repeat(400), Infinity],
  ['R9 infinity', 'Infinity', Infinity],
  ['surrounding spaces', ' 2 ', 2000],
])('%s: reads "%s" as %d ms', (_name, text, expected) => {
  expect(retryAfter({ 'retry-after': text }, now)).toBe(expected);
});

test.each([
  ['R7 a past date', 'Fri, 20 Nov 2026 11:59:59 GMT'],
  ['R7 a two-digit year that means the past century', 'Sunday, 06-Nov-94 08:49:37 GMT'],
  ['R7 a negative number', '-1'],
  ['R8 nothing', ''],
  ['R8 a word', 'soon'],
  ['R8 NaN', 'NaN'],
  ['R8 a hexadecimal number', '0x10'],
  ['R8 a unit', '10s'],
  ['R8 a duration', '1m30s'],
  ['R8 a bare date', '2026-11-20'],
  ['R8 an ISO date', '2026-11-20T12:00:03Z'],
  ['R8 an exponent', '1e3'],
  ['R8 an unknown month', 'Fri, 20 Foo 2026 12:00:03 GMT'],
])('%s: ignores "%s"', (_name, text) => {
  expect(retryAfter({ 'retry-after': text }, now)).toBeUndefined();
});

test.each([
  ['R10 milliseconds take precedence', { 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  ['R10 even zero', { 'retry-after-ms': '0', 'retry-after': '9' }, 0],
  ['R10 but not when unreadable', { 'retry-after-ms': 'soon', 'retry-after': '9' }, 9000],
])('%s', (_name, headers, expected) => {
  expect(retryAfter(headers, now)).toBe(expected);
});

test('returns undefined without a header', () => {
  expect(retryAfter({}, now)).toBeUndefined();
});
