import { describe, expect, test } from 'vitest';
import { createSecretFilter } from '../../src/secrets/secret-filter.ts';

/** Masks secrets of four or more characters. */
function maskOf(...secrets: readonly string[]): (text: string) => string {
  return (text) => createSecretFilter(secrets, 4)?.mask(text) ?? text;
}

const key = 'sk+live/42=="ü~Qx';

describe('createSecretFilter', () => {
  test.each([
    ['as it is', key],
    ['URL-encoded', encodeURIComponent(key)],
    ['URL-encoded in lower case', encodeURIComponent(key).toLowerCase().replace('~qx', '~Qx')],
    ['in a query', new URLSearchParams({ key }).toString().slice(4)],
    ['in JSON', JSON.stringify(key).slice(1, -1)],
    ['in JSON with escaped slashes', key.replace('/', String.raw`\/`).replace('"', String.raw`\"`)],
    ['in a URL', new URL(`https://a.example/?key=${key}`).search.slice(5)],
    ['in base64', Buffer.from(key).toString('base64')],
    ['in base64url', Buffer.from(key).toString('base64url')],
  ])('K8 masks a key %s', (_form, text) => {
    expect(maskOf(key)(`before ${text} after`)).toContain('before ***');
    expect(maskOf(key)(`before ${text} after`)).not.toContain(text);
  });

  test('K9 masks every occurrence of every secret, and the longer of two', () => {
    const filter = maskOf('secret', 'secret-longer');
    expect(filter('secret, secret-longer, secret')).toBe('***, ***, ***');
  });

  test.each([[[]], [['']], [['abc']]])('is undefined for %j', (secrets) => {
    expect(createSecretFilter(secrets, 4)).toBeUndefined();
  });

  test('X2: does not mask a secret shorter than the minimum', () => {
    const filter = createSecretFilter(['ollama', 'sk-12345'], 8);
    expect(filter?.mask('ollama with sk-12345')).toBe('ollama with ***');
  });

  test('keeps an escaped line break before a secret', () => {
    expect(maskOf('nk-secret-key')(JSON.stringify({ text: 'a\nnk-secret-key' }))).toBe(
      JSON.stringify({ text: 'a\n***' }),
    );
  });

  test('takes a secret of twenty thousand characters', () => {
    const secret = '0123456789'.repeat(2000);
    expect(maskOf(secret)(`a ${secret} b`)).toBe('a *** b');
  });

  test('takes pattern characters literally', () => {
    const filter = maskOf('a.c*[x](y)|$');
    expect(filter('abc a.c*[x](y)|$')).toBe('abc ***');
  });
});
