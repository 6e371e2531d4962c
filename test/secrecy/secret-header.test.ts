import { expect, test } from 'vitest';
import { isSecretHeader } from '../../src/secrecy/secret-header.ts';

test.each([
  ['proxy-authorization', true],
  ['x-api-key', true],
  ['cookie', true],
  ['x-team', false],
  ['user-agent', false],
])('%s carries a secret: %s', (name, secret) => {
  expect(isSecretHeader(name)).toBe(secret);
});
