import { expect, test } from 'vitest';
import { requestHeaders, requireEncryption } from '../../../src/client/configuration.ts';
import { retryAfter } from '../../../src/client/failure/service-failure.ts';
import { Failure } from '../../../src/failure.ts';

const service = { baseUrl: 'https://api.test', userAgent: 'natter' };

test.each([
  ['a newline', 'topsecret\nX-Evil: 1'],
  ['a carriage return', 'topsecret\rx'],
  ['a letter outside Latin-1', 'topsecretключ'],
  ['a letter of Latin-1', 'topsecreté'],
  ['a space inside', 'topsecret x'],
  ['a control character', 'topsecret\u0000x'],
  ['no characters', ''],
  ['only spaces', '  '],
])('K10 refuses a key with %s and does not show it', (_name, key) => {
  const build = () => requestHeaders({ ...service, apiKey: key });
  expect(build).toThrow(Failure);
  expect(build).not.toThrow(/topsecret/);
});

test('K10 names the invalid character and its position', () => {
  expect(() => requestHeaders({ ...service, apiKey: 'ab–cd' })).toThrow('U+2013 at position 3');
});

test('K11 removes white space around the key', () => {
  const headers = requestHeaders({ ...service, apiKey: ' \tkey-1\n' });
  expect(headers['authorization']).toBe('Bearer key-1');
});

test.each([
  ['key-1', { 'api-key': 'key-1' }],
  ['eyJhbGciOi.eyJhdWQ.x', { authorization: 'Bearer eyJhbGciOi.eyJhdWQ.x' }],
])('sends %s to an address with an api-version as %j', (apiKey, expected) => {
  const baseUrl = 'https://azure.test/openai/deployments/gpt?api-version=2024-10-21';
  const usual = { 'user-agent': 'natter', 'accept-encoding': 'identity' };
  const sent = requestHeaders({ ...service, baseUrl, apiKey });
  expect(sent).toEqual({ ...usual, ...expected });
});

test('sends no Authorization without a key', () => {
  expect(requestHeaders(service)).not.toHaveProperty('authorization');
});

test("replaces a header by the user's header of the same name", () => {
  const headers = { 'User-Agent': 'mine', 'X-Team': 'a' };
  expect(requestHeaders({ ...service, headers })).toMatchObject({
    'user-agent': 'mine',
    'x-team': 'a',
  });
});

test.each([
  ['x-a', 'topsecret\r\nx-b: 1'],
  ['x-a', 'topsecret→'],
  ['x a', 'topsecret'],
  ['', 'topsecret'],
])('refuses the invalid header "%s" without showing its value', (name, value) => {
  const build = () => requestHeaders({ ...service, headers: { [name]: value } });
  expect(build).toThrow(Failure);
  expect(build).not.toThrow(/topsecret/);
});

const withKey = { authorization: 'Bearer key-1' };

test.each([
  ['http://api.test', 'authorization', 'the key'],
  ['http://192.168.1.5:8080', 'authorization', 'the key'],
  ['http://localhost.test', 'authorization', 'the key'],
  ['http://[fe80::1]', 'authorization', 'the key'],
  ['http://api.test', 'x-api-key', 'the header x-api-key'],
  ['http://api.test', 'cookie', 'the header cookie'],
  ['http://api.test', 'x-team-token', 'the header x-team-token'],
])('K14 refuses to send to %s the header %s', (url, name, secret) => {
  const check = () => requireEncryption(new URL(url), { [name]: 'value' }, false);
  expect(check).toThrow(`${secret} would be sent unencrypted`);
});

test.each([
  ['over https', 'https://api.test', withKey, false],
  ['to localhost', 'http://localhost:8080', withKey, false],
  ['to a name under localhost', 'http://api.localhost', withKey, false],
  ['to 127.0.0.0/8', 'http://127.1.2.3', withKey, false],
  ['to ::1', 'http://[::1]:8080', withKey, false],
  ['when allowed', 'http://api.test', withKey, true],
  ['without a key', 'http://api.test', { 'x-team': 'blue' }, false],
])('K14 sends %s', (_name, url, headers, allowed) => {
  expect(() => requireEncryption(new URL(url), headers, allowed)).not.toThrow();
});

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
