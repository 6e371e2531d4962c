import { expect, test } from 'vitest';
import { maskKey } from '../../src/client/mask-key.ts';

const key = 'sk/sec+ret=1234';

test.each([
  ['as it is', key],
  ['in base64', Buffer.from(key).toString('base64')],
  ['in base64 without padding', Buffer.from(key).toString('base64').replace(/=+$/, '')],
  ['in base64url', Buffer.from(key).toString('base64url')],
  ['percent-encoded', encodeURIComponent(key)],
])('K9 masks the key %s', (_name, form) => {
  expect(maskKey(`bad key "${form}", again ${form}`, key)).toMatch(
    /^bad key "\*\*\*=*", again \*\*\*=*$/,
  );
});

test('leaves text alone without a key', () => {
  expect(maskKey('text', undefined)).toBe('text');
});
