import { expect, test } from 'vitest';
import { maskKey } from '../../src/secrecy/mask.ts';

test.each([
  ['0123456789abcdef', '…cdef'],
  ['0123456789ab', '…89ab'],
  ['0123456789a', '…'],
  ['', '…'],
])('a key %j is shown as %j', (key, shown) => {
  expect(maskKey(key)).toBe(shown);
});
