import { expect, test } from 'vitest';
import { parseNotation } from '../../src/schema/schema-text.ts';
import { isStrict, responseFormat } from '../../src/schema/response-format.ts';

const schema = parseNotation('name, team [name, age int]', '--schema');

test('none is no field, json_object has no schema, json_schema has name, schema and strict', () => {
  expect(responseFormat('none', schema)).toBeUndefined();
  expect(responseFormat('json_object', schema)).toEqual({ type: 'json_object' });
  expect(responseFormat('json_schema', schema)).toEqual({
    type: 'json_schema',
    json_schema: { name: 'answer', schema, strict: true },
  });
});

test('the title is the name, as services accept it', () => {
  const titled = { title: 'A person, with age', type: 'object' };
  expect(responseFormat('json_schema', titled)).toMatchObject({
    json_schema: { name: 'A_person_with_age', strict: false },
  });
});

test.each([
  [{ type: 'string' }, true],
  [schema, true],
  [parseNotation('name, age? int', '--schema'), false],
  [parseNotation('boss {name, age? int}', '--schema'), false],
  [{ type: 'object' }, false],
  [{ properties: {}, additionalProperties: false }, true],
  [{ $ref: '#/$defs/a', $defs: { a: { type: 'object' } } }, false],
])('%j is strict: %s', (value, expected) => {
  expect(isStrict(value)).toBe(expected);
});
