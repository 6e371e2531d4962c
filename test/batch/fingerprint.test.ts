import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  formatFingerprint,
  parseFingerprint,
  promptFingerprint,
} from '../../src/batch/fingerprint.ts';

const messages = [{ role: 'user' as const, content: 'why?' }];

test('a fingerprint is the first 64 bits of SHA-256 of the id and the messages', () => {
  const digest = createHash('sha256')
    .update(JSON.stringify(['a', messages]))
    .digest('hex');
  expect(formatFingerprint(promptFingerprint('a', messages))).toBe(digest.slice(0, 16));
});

test.each([0n, 1n, 0xff_ff_ff_ff_ff_ff_ff_ffn])(
  'formatting and parsing keep the fingerprint %s',
  (value) => {
    expect(parseFingerprint(formatFingerprint(value))).toBe(value);
  },
);

test.each([undefined, 1, '', 'f', 'g000000000000000', '00000000000000000'])(
  'anything else is not a fingerprint: %s',
  (text) => {
    expect(parseFingerprint(text)).toBeUndefined();
  },
);
