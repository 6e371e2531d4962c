import { expect, test } from 'vitest';
import { maskMessage, maskText, createSecrets } from '../../src/secrets/secrets.ts';

test('K8 masks the key of the environment', () => {
  const secrets = createSecrets({ NATTER_API_KEY: 'nk-secret-key' });
  expect(maskMessage(secrets, 'a nk-secret-key b')).toBe('a *** b');
});

test('masks a secret after keep', () => {
  const secrets = createSecrets({});
  expect(maskMessage(secrets, 'nk-secret-key')).toBe('nk-secret-key');
  secrets.keep({ apiKey: 'nk-secret-key' });
  expect(maskMessage(secrets, 'nk-secret-key')).toBe('***');
});

test.each([
  ['HTTP_PROXY', 'http://ann:pass-word@host:1', 'pass-word'],
  ['https_proxy', 'http://ann:p%40ss-word@host', 'p@ss-word'],
  ['https_proxy', 'http://ann:p%40ss-word@host', 'p%40ss-word'],
  ['ALL_PROXY', 'ann:pass-word@host', 'pass-word'],
  ['ALL_PROXY', 'http://ann:bad%escape@host', 'bad%escape'],
])('K18 masks the password in %s=%s', (variable, address, password) => {
  expect(maskMessage(createSecrets({ [variable]: address }), `x ${password} y`)).toBe('x *** y');
});

test('masks nothing of a proxy without a password', () => {
  const secrets = createSecrets({ HTTP_PROXY: 'http://proxy.example:3128' });
  expect(maskMessage(secrets, 'http://proxy.example:3128')).toBe('http://proxy.example:3128');
});

test('X2: masks a short key only in messages', () => {
  const secrets = createSecrets({ NATTER_API_KEY: 'ollama' });
  expect(maskMessage(secrets, 'no key ollama')).toBe('no key ***');
  expect(maskText(secrets, 'what is ollama?')).toBe('what is ollama?');
});
