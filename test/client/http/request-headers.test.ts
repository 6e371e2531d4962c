import { expect, test } from 'vitest';
import {
  requireEncryption,
  secretIn,
  cleanKey,
  requestHeaders,
} from '../../../src/client/http/request-headers.ts';
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
  expect(() => cleanKey(key)).toThrow(Failure);
  expect(() => cleanKey(key)).not.toThrow(/topsecret/);
});

test('K10 names the invalid character and its position', () => {
  expect(() => cleanKey('ab–cd')).toThrow('U+2013 at position 3');
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
  const {
    'user-agent': _name,
    'accept-encoding': _encoding,
    ...sent
  } = requestHeaders({
    ...service,
    baseUrl,
    apiKey,
  });
  expect(sent).toEqual(expected);
});

test('sends no Authorization without a key', () => {
  expect(requestHeaders(service)).not.toHaveProperty('authorization');
});

test("replaces a header by the user's header of the same name", () => {
  const headers = requestHeaders({
    ...service,
    apiKey: 'key-1',
    headers: { 'User-Agent': 'mine', 'X-Team': 'a' },
  });
  expect(headers).toMatchObject({ 'user-agent': 'mine', 'x-team': 'a' });
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
  'http://api.test',
  'http://192.168.1.5:8080',
  'http://localhost.test',
  'http://[fe80::1]',
])('K14 refuses to send a key to %s', (url) => {
  expect(() => requireEncryption(new URL(url), secretIn(withKey), false)).toThrow(/unencrypted/);
});

test.each(['x-api-key', 'cookie', 'x-team-token'])(
  'K14 refuses to send the header %s over plain http',
  (name) => {
    const headers = { 'user-agent': 'natter', [name]: 'value' };
    const check = () => requireEncryption(new URL('http://api.test'), secretIn(headers), false);
    expect(check).toThrow(`the header ${name} would be sent unencrypted`);
  },
);

test.each([
  ['over https', 'https://api.test', withKey, false],
  ['to localhost', 'http://localhost:8080', withKey, false],
  ['to a name under localhost', 'http://api.localhost', withKey, false],
  ['to 127.0.0.0/8', 'http://127.1.2.3', withKey, false],
  ['to ::1', 'http://[::1]:8080', withKey, false],
  ['when allowed', 'http://api.test', withKey, true],
  ['without a key', 'http://api.test', { 'x-team': 'blue' }, false],
])('K14 sends %s', (_name, url, headers, allowed) => {
  expect(() => requireEncryption(new URL(url), secretIn(headers), allowed)).not.toThrow();
});
