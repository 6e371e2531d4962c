import { expect, test } from 'vitest';
import { secretsOf } from '../../src/secrets/secret-parts.ts';

const basic = (text: string) => Buffer.from(text).toString('base64');

test.each([
  ['a bare value', 'sk-live-0123', ['sk-live-0123']],
  ['a scheme', 'Bearer sk-live-0123', ['Bearer sk-live-0123', 'sk-live-0123']],
  ['a short token', 'Bearer hunter2', ['Bearer hunter2', 'hunter2']],
  [
    'Basic',
    `Basic ${basic('somebody:hunter2')}`,
    ['somebody:hunter2', 'somebody', 'hunter2', basic('somebody:hunter2')],
  ],
  ['Basic with a colon in the password', `basic ${basic('ann:pass:word')}`, ['pass:word']],
  ['cookies', 'theme=dark; session=abc%2Fdef0123; id="q9-q9-q9-q9"', ['abc%2Fdef0123']],
  ['an encoded cookie', 'session=abc%2Fdef0123', ['abc/def0123']],
  ['a quoted cookie', 'id="q9-q9-q9-q9"', ['q9-q9-q9-q9']],
  ['parameters', 'Token token="0123456789", nonce=9876543210', ['0123456789', '9876543210']],
  ['base64 with padding', 'YWJjZGVmZ2hpag==', ['YWJjZGVmZ2hpag==']],
])('X2: each part of %s in a header is secret', (_, value, parts) => {
  expect(secretsOf({ headers: { 'x-auth': value } })).toEqual(expect.arrayContaining(parts));
});

test.each([
  ['a short cookie', 'a=1; theme=dark; consent=true', ['1', 'dark', 'true', 'a', 'theme']],
  ['a short user name', `Basic ${basic('user:correct-horse')}`, ['user']],
  ['the scheme', 'AWS4-HMAC-SHA256 Credential=0123456789', ['AWS4-HMAC-SHA256']],
])('X2: %s is not a secret', (_, value, words) => {
  const secrets = secretsOf({ headers: { cookie: value } });
  expect(words.filter((word) => secrets.includes(word))).toEqual([]);
});

test('X2: headers with other names are not secret', () => {
  expect(secretsOf({ headers: { 'x-team': 'blue-team-of-natter' } })).toEqual([]);
});

test.each([
  ['https://somebody:hunter2@api.test', ['somebody:hunter2', 'somebody', 'hunter2']],
  ['https://ann:p%40ss-word@api.test/v1', ['p%40ss-word', 'p@ss-word', 'ann:p@ss-word']],
  ['http://ann:pa/ss-word@host', ['pa/ss-word']],
  ['ann:pass-word@host:3128', ['pass-word']],
  ['https://only-a-token@api.test', ['only-a-token']],
])('X2: the credentials in %s are secret', (address, parts) => {
  expect(secretsOf({ addresses: [address] })).toEqual(expect.arrayContaining(parts));
});

test('X2: an address without credentials has no secret', () => {
  expect(secretsOf({ addresses: ['https://api.test/users/@somebody', undefined] })).toEqual([]);
});

test.each([
  ['NATTER_API_KEY', 'sk-live-0123', 'sk-live-0123'],
  ['NATTER_UPSTREAM_API_KEY', ' sk-live-0123\n', 'sk-live-0123'],
  ['NATTER_BASE_URL', 'https://ann:pass-word@api.test', 'pass-word'],
  ['NATTER_QUEUE', 'redis://:pass-word@cache.test', 'pass-word'],
  ['https_proxy', 'http://ann:pass-word@proxy:1', 'pass-word'],
  ['ALL_PROXY', 'http://ann:bad%escape@host', 'bad%escape'],
])('X2 K8 K18: finds the secret in %s', (name, value, secret) => {
  expect(secretsOf({ environment: { [name]: value } })).toContain(secret);
});
