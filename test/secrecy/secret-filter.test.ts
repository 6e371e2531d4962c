import { describe, expect, test } from 'vitest';
import { createSecretFilter } from '../../src/secrecy/secret-filter.ts';
import { fc } from '../support/properties.ts';

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
    ['in base64', Buffer.from(key).toString('base64')],
  ])('K8 masks a key %s', (_form, text) => {
    expect(maskOf(key)(`before ${text} after`)).toContain('before ***');
    expect(maskOf(key)(`before ${text} after`)).not.toContain(text);
  });

  test('K8 masks a key within any base64 text around it', () => {
    const secret = 'example-key-0123456789';
    const filter = maskOf(secret);
    const encodings = ['base64', 'base64url'] as const;
    fc.assert(
      fc.property(
        fc.string({ maxLength: 9 }),
        fc.string({ maxLength: 9 }),
        fc.constantFrom(...encodings),
        (before, after, encoding) => {
          const text = Buffer.from(`${before}${secret}${after}`).toString(encoding);
          const decoded = Buffer.from(filter(text).replace('***', ''), encoding);
          expect(filter(text)).toContain('***');
          expect(decoded.toString()).not.toContain('key-01234567');
        },
      ),
    );
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

  test('X2: does not mask a decoded form shorter than the minimum', () => {
    const filter = createSecretFilter(['%74%65%73%74'], 8);
    expect(filter?.mask('test with %74%65%73%74')).toBe('test with ***');
  });

  test('looks for the start of an escape in linear time', () => {
    const filter = createSecretFilter(['0123456789'.repeat(4000)], 8);
    const text = `${'\\'.repeat(280_000)}x`;
    // In quadratic time, this would take minutes.
    expect(filter?.openEnd(text)).toBe(text.length);
  });

  test('keeps an escaped line break before a secret', () => {
    expect(maskOf('nk-secret-key')(JSON.stringify({ text: 'a\nnk-secret-key' }))).toBe(
      JSON.stringify({ text: 'a\n***' }),
    );
  });

  test('masks URL-encoded base64', () => {
    const secret = '??>>~~secret';
    const encoded = encodeURIComponent(Buffer.from(secret).toString('base64'));
    expect(encoded).toContain('%2');
    expect(maskOf(secret)(`a ${encoded} b`)).toBe('a *** b');
  });

  test('takes a secret of a hundred thousand characters', () => {
    const secret = '0123456789'.repeat(10_000);
    expect(maskOf(secret)(`a ${secret} b`)).toBe('a *** b');
  });

  test('takes pattern characters literally', () => {
    const filter = maskOf('a.c*[x](y)|$');
    expect(filter('abc a.c*[x](y)|$')).toBe('abc ***');
  });
});

const interrupted = 'sk-live-4f9a8b7c6d5e4f3a';

test.each(['\u200B', '\u001B[31m', '\u202E', '\u0007', '\u2060'])(
  'X2: masks a secret interrupted by %j, which the sanitizer would make whole',
  (hidden) => {
    const text = `bad ${interrupted.slice(0, 12)}${hidden}${interrupted.slice(12)} key`;
    expect(maskOf(interrupted)(text)).toBe('bad *** key');
  },
);

test('keeps hidden characters without a secret', () => {
  expect(maskOf(interrupted)('a\u200Bb\u001B[31mc')).toBe('a\u200Bb\u001B[31mc');
});
