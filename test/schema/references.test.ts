// The bundle has a resolver of its own for ajv: scripts/bundle/uri.js.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse, resolve, serialize } from '../../scripts/bundle/uri.js';

test.each([
  ['g:h', 'g:h'],
  ['g', 'http://a/b/c/g'],
  ['./g', 'http://a/b/c/g'],
  ['g/', 'http://a/b/c/g/'],
  ['/g', 'http://a/g'],
  ['//g', 'http://g'],
  ['?y', 'http://a/b/c/d;p?y'],
  ['g?y', 'http://a/b/c/g?y'],
  ['#s', 'http://a/b/c/d;p?q#s'],
  ['g#s', 'http://a/b/c/g#s'],
  ['g?y#s', 'http://a/b/c/g?y#s'],
  [';x', 'http://a/b/c/;x'],
  ['', 'http://a/b/c/d;p?q'],
  ['.', 'http://a/b/c/'],
  ['./', 'http://a/b/c/'],
  ['..', 'http://a/b/'],
  ['../g', 'http://a/b/g'],
  ['../..', 'http://a/'],
  ['../../g', 'http://a/g'],
  ['../../../g', 'http://a/g'],
  ['/../g', 'http://a/g'],
  ['g..', 'http://a/b/c/g..'],
  ['./g/.', 'http://a/b/c/g/'],
  ['g/./h', 'http://a/b/c/g/h'],
  ['g/../h', 'http://a/b/c/h'],
  ['g?y/../x', 'http://a/b/c/g?y/../x'],
])('%s is resolved as in RFC 3986, section 5.4', (reference, target) => {
  expect(resolve('http://a/b/c/d;p?q', reference)).toBe(target);
});

test.each([
  ['', '#/$defs/name', '#/$defs/name'],
  ['', 'tree.json', 'tree.json'],
  ['schemas/list.json', 'tree.json#node', 'schemas/tree.json#node'],
  ['https://example.com', 'tree', 'https://example.com/tree'],
  ['urn:example:list', '#node', 'urn:example:list#node'],
])('in %j, %s is %s', (base, reference, target) => {
  expect(resolve(base, reference)).toBe(target);
});

test.each([
  '',
  '#',
  'https://example.com:80/a?b#c',
  'urn:example:a',
  'file:///a',
  '//host',
  '?',
  'a#/b%20c',
])('%j stays the same', (text) => {
  expect(serialize(parse(text))).toBe(text);
});

test('ajv finds the schemas in a schema with it', () => {
  const ajv = new Ajv2020({ strict: false, uriResolver: { parse, resolve, serialize } });
  const validate = ajv.compile({
    $id: 'https://example.com/schemas/list',
    type: 'array',
    items: { $ref: 'entry' },
    $defs: {
      entry: {
        $id: 'entry',
        properties: { a: { $ref: '#/$defs/a%20name' }, b: { $ref: '../schemas/list#other' } },
        $defs: { 'a name': { type: 'string' } },
      },
      other: { $anchor: 'other', type: 'number' },
    },
  });
  expect(validate([{ a: 'text', b: 1 }])).toBe(true);
  expect(validate([{ a: 1 }])).toBe(false);
  expect(validate([{ b: 'text' }])).toBe(false);
});
