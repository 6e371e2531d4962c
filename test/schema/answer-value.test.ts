import { expect, test } from 'vitest';
import { isStrict, readAnswerValue, responseFormat } from '../../src/schema/answer-value.ts';
import { parseNotation } from '../../src/schema/schema-text.ts';

test.each([
  ['{"a": 1}', '{"a": 1}'],
  ['\n  {"a": 1}\n', '{"a": 1}'],
  ['\uFEFF[1]', '[1]'],
  ['```json\n{"a": 1}\n```', '{"a": 1}'],
  ['```\n\n[1,\n 2]\n\n```\n', '[1,\n 2]'],
  ['~~~~ json\r\n1\r\n~~~~', '1'],
  ['"text"', '"text"'],
  ['"```"', '"```"'],
  ['null', 'null'],
])('%j is the value %j', (content, text) => {
  expect(readAnswerValue(content)).toEqual({ text, value: JSON.parse(text) });
});

test.each([
  'Here it is:\n```json\n{"a": 1}\n```',
  '```json\n{"a": 1}\n```\nDone [as you asked].',
  'Sure.\n\n~~~\n{"a": 1}\n~~~\n\nThe value of `a` is 1.',
])('N9: %j is the value of its only code block', (content) => {
  expect(readAnswerValue(content)).toEqual({ text: '{"a": 1}', value: { a: 1 } });
});

test.each([
  ['', 'is empty'],
  [' \n', 'is empty'],
  ['Hello!', 'is not JSON'],
  ['{"a": 1,}', 'is not JSON'],
  ["{'a': 1}", 'is not JSON'],
  ['{"a": 1} {"a": 2}', 'is not JSON'],
  ['```json\n{"a": 1}', 'has a code block without an end'],
  ['```json\n```json\n1\n```\n```', 'has more than one code block'],
  ['First:\n```\n1\n```\nSecond:\n```\n2\n```', 'has more than one code block'],
  ['{"a": 2}\n```\n{"a": 1}\n```', 'has JSON inside and outside a code block'],
  ['```\n{"a": 1}\n```\nor [2,\n3]', 'has JSON inside and outside a code block'],
  ['Here it is:\n```\n{"a": 1,}\n```', 'is not JSON'],
  ['Here it is:\n```\n```', 'is empty'],
  ['[NaN]', 'is not JSON'],
  ['['.repeat(501) + ']'.repeat(501), 'is nested more than 500 deep'],
])('%j %s', (content, message) => {
  expect(readAnswerValue(content)).toEqual({ path: '', message });
});

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
