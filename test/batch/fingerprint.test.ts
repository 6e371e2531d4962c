import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { promptFingerprint, readFingerprint } from '../../src/batch/fingerprint.ts';

const messages = [{ role: 'user' as const, content: 'why?' }];

test('a fingerprint is the first 64 bits of SHA-256 of the id and the messages', () => {
  const digest = createHash('sha256')
    .update(JSON.stringify(['a', messages]))
    .digest('hex');
  expect(promptFingerprint('a', messages)).toBe(digest.slice(0, 16));
});

test.each(['0000000000000000', 'ffffffffffffffff'])('%s is a fingerprint', (text) => {
  expect(readFingerprint(text)).toBe(text);
});

test.each([undefined, 1, '', 'f', 'g000000000000000', '00000000000000000'])(
  'anything else is not a fingerprint: %s',
  (value) => {
    expect(readFingerprint(value)).toBeUndefined();
  },
);
