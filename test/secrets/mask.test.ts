import { describe, expect, test } from 'vitest';
import { maskKey, maskUrl } from '../../src/secrets/mask.ts';
import { createSecrets, maskMessage, maskText } from '../../src/secrets/secrets.ts';
import { expectForAll, fc } from '../support/properties.ts';

describe('maskUrl', () => {
  test.each([
    ['https://ada:secret@example.com/v1', 'https://…@example.com/v1'],
    ['https://ada@example.com', 'https://…@example.com'],
    ['https://ada:p@ss@example.com', 'https://…@example.com'],
    ['https://example.com/users/@ada', 'https://example.com/users/@ada'],
    ['http://ada:pa/ss@proxy:80', 'http://…@proxy:80'],
    ['ada:secret@proxy:80', '…@proxy:80'],
    ['http://ada:secret@:bad', 'http://…@:bad'],
    ['https://example.com', 'https://example.com'],
    ['https://example.com/a@b', 'https://example.com/a@b'],
    ['https://proxy/http://ada:secret@example.com', 'https://proxy/http://…@example.com'],
    ['the proxy http://ada:secret@proxy:80', '…@proxy:80'],
  ])('K15 shows %j as %j', (url, shown) => {
    expect(maskUrl(url)).toBe(shown);
  });

  test('K15 shows no password, with any characters', () => {
    const password = fc.string({ minLength: 3 }).map((text) => `Zq${encodeURIComponent(text)}qZ`);
    expectForAll(password, (text) => {
      expect(maskUrl(`https://ada:${text}@example.com/v1`)).not.toContain(text);
    });
  });
});

test.each([
  ['0123456789abcdef', '…cdef'],
  ['0123456789ab', '…89ab'],
  ['0123456789a', '…'],
  ['', '…'],
])('shows a key %j as %j', (key, shown) => {
  expect(maskKey(key)).toBe(shown);
});

test('masks a secret after keep', () => {
  const secrets = createSecrets({});
  expect(maskMessage(secrets, 'nk-secret-key')).toBe('nk-secret-key');
  secrets.keep({ apiKey: 'nk-secret-key' });
  expect(maskMessage(secrets, 'nk-secret-key')).toBe('***');
});

test('X2: masks a short key only in messages', () => {
  const secrets = createSecrets({ NATTER_API_KEY: 'ollama' });
  expect(maskMessage(secrets, 'no key ollama')).toBe('no key ***');
  expect(maskText(secrets, 'what is ollama?')).toBe('what is ollama?');
});
