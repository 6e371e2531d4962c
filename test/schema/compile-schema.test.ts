import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { compileSchema } from '../../src/schema/compile-schema.ts';
import { describeViolation } from '../../src/schema/answer-value.ts';

const label = '--schema';

const violations = (schema: JsonObject, value: unknown) =>
  compileSchema(schema, { label }).check(value).map(describeViolation).join('\n');

const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: ['integer', 'null'], minimum: 0 } },
  required: ['name', 'age'],
  additionalProperties: false,
};

test.each<[string, JsonObject, unknown, string]>([
  ['a value that conforms', person, { name: 'Ada', age: null }, ''],
  ['a wrong type', person, [], 'the answer must be object'],
  [
    'several violations',
    person,
    { name: 1, ages: 2 },
    'the answer must have required property \'age\'\nthe answer must not have additional properties: "ages"\n/name must be string',
  ],
  ['a number in quotes', person, { name: '', age: '36' }, '/age must be integer,null'],
  ['a limit', person, { name: '', age: -1 }, '/age must be >= 0'],
  [
    'a choice',
    { enum: ['a', 1] },
    'b',
    'the answer must be equal to one of the allowed values: ["a",1]',
  ],
  ['a constant', { const: { a: 1 } }, 'b', 'the answer must be equal to constant: {"a":1}'],
  ['a false schema', { properties: { a: false } }, { a: 1 }, '/a boolean schema is false'],
  ['a length', { minItems: 2 }, [1], 'the answer must not have fewer than 2 items'],
  ['a format', { format: 'date' }, '2026-02-30', 'the answer must match format "date"'],
  ['a slash', { properties: { 'a/b': { type: 'null' } } }, { 'a/b': 1 }, '/a~1b must be null'],
  // It is inherited.
  ['a member', { required: ['toString'] }, {}, "the answer must have required property 'toString'"],
])('%s is described with its place', (_name, schema, value, expected) => {
  expect(violations(schema, value)).toBe(expected);
});

test('of many violations the first fifty are listed', () => {
  const found = violations({ items: { type: 'null' } }, Array.from('x'.repeat(60))).split('\n');
  expect(found).toHaveLength(51);
  expect(found.at(-1)).toBe('the answer has 10 more violations');
});

describe('drafts', () => {
  const pair = [{ type: 'string' }, { type: 'integer' }];

  test('without $schema, 2020-12 applies', () => {
    expect(violations({ prefixItems: pair }, ['a', 'b'])).toBe('/1 must be integer');
    expect(() => compileSchema({ items: pair }, { label })).toThrow(
      /is not a JSON Schema: \/items/,
    );
  });

  test.each([
    'http://json-schema.org/draft-07/schema#',
    'http://json-schema.org/draft-07/schema',
    'https://json-schema.org/draft-07/schema#',
  ])('%s is draft 7', ($schema) => {
    expect(violations({ $schema, items: pair }, ['a', 'b'])).toBe('/1 must be integer');
  });

  const otherDrafts = ['http://json-schema.org/draft-04/schema#', 'https://example.com/own', 7];

  test.each(otherDrafts)('%s is refused', ($schema) => {
    expect(() => compileSchema({ $schema }, { label })).toThrow(
      '--schema is for a draft of JSON Schema that natter does not check',
    );
  });
});

describe('references', () => {
  test('within the schema are followed, recursive ones too', () => {
    const tree = {
      $defs: { node: { properties: { next: { $ref: '#/$defs/node' } }, required: ['id'] } },
      $ref: '#/$defs/node',
    };
    expect(violations(tree, { id: 1, next: {} })).toBe("/next must have required property 'id'");
  });

  const outside = ['https://example.com/person.json', 'person.json', '#/$defs/none'];

  test.each(outside)('to %s are refused', ($ref) => {
    expect(() => compileSchema({ $ref }, { label })).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: `--schema refers to ${$ref}, which is not in it`,
        hint: expect.stringContaining('loads no schema'),
      }),
    );
  });
});

test('unknown keywords and formats are named, and not checked; those of extensions are not named', () => {
  const schema = { type: 'string', format: 'colour', requierd: [], 'x-order': 1, title: 'A' };
  const compiled = compileSchema(schema, { label });
  expect([...compiled.unknown].sort()).toEqual(['colour', 'requierd']);
  expect(compiled.check('red')).toEqual([]);
});

test.each([
  [{ type: 'objekt' }, /is not a JSON Schema: \/type must be equal to one of/],
  [{ pattern: '(' }, /cannot be used: Invalid regular expression/],
  [{ $async: true }, /has the keyword \$async/],
])('%j is refused', (schema, message) => {
  expect(() => compileSchema(schema, { label })).toThrow(message);
});

test('a text of the schema is not code', () => {
  const name = '"]; globalThis.hasRun = true; //';
  expect(violations({ required: [name], const: name }, {}).split('\n')).toHaveLength(2);
  expect(globalThis).not.toHaveProperty('hasRun');
});

test('a pattern that takes years is stopped', () => {
  const slow = compileSchema({ pattern: '^(a+)+$' }, { label, limit: 1000 });
  expect(() => slow.check(`${'a'.repeat(60)}!`)).toThrow(
    '--schema takes longer than 1000 ms to check an answer',
  );
  expect(slow.check('aaa')).toEqual([]);
});
