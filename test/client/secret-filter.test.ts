import { describe, expect, test } from 'vitest';

import { createSecretFilter } from '../../src/client/secret-filter.ts';
import { fc } from '../support/properties.ts';

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
    expect(createSecretFilter([key])(`before ${text} after`)).toContain('before ***');
    expect(createSecretFilter([key])(`before ${text} after`)).not.toContain(text);
  });

  test('K8 masks a key within any base64 text around it', () => {
    const secret = 'example-key-0123456789';
    const filter = createSecretFilter([secret]);
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

  test('K9 masks every occurrence of every secret, the longer one first', () => {
    const filter = createSecretFilter(['secret', undefined, 'secret-longer']);
    expect(filter('secret, secret-longer, secret')).toBe('***, ***, ***');
  });

  test.each([[[]], [['']], [['abc']], [[undefined]]])(
    'leaves text alone without secrets %j',
    (secrets) => {
      expect(createSecretFilter(secrets)('abc, and all the rest')).toBe('abc, and all the rest');
    },
  );

  test('takes characters that mean something in a pattern as they are', () => {
    const filter = createSecretFilter(['a.c*[x](y)|$']);
    expect(filter('abc a.c*[x](y)|$')).toBe('abc ***');
  });
});
