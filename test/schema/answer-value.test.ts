import { expect, test } from 'vitest';
import {
  compactJson,
  isStrict,
  parsePointer,
  readAnswerValue,
  responseFormat,
  textAt,
} from '../../src/schema/answer-value.ts';
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

/** The document and the pointers of RFC 6901, section 5. */
const document = String.raw`{
  "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8
}`;

const at = (json: string, pointer: string) => textAt(json, parsePointer(pointer));

test.each([
  ['/foo', '["bar", "baz"]'],
  ['/foo/0', '"bar"'],
  ['/', '0'],
  ['/a~1b', '1'],
  ['/c%d', '2'],
  ['/e^f', '3'],
  ['/g|h', '4'],
  ['/i\\j', '5'],
  ['/k"l', '6'],
  ['/ ', '7'],
  ['/m~0n', '8'],
])('finds the value at %s', (pointer, text) => {
  expect(at(document, pointer)).toBe(text);
});

test('an empty pointer is the whole value, without the spaces around it', () => {
  expect(at(' [1, 2]\n', '')).toBe('[1, 2]');
});

test.each(['/none', '/foo/2', '/foo/-', '/foo/00', '/foo/0/1', '/foo/bar', '//x', '/toString'])(
  'finds nothing at %s',
  (pointer) => {
    expect(at(document, pointer)).toBeUndefined();
  },
);

test('keeps digits, escapes and nested values as they are written', () => {
  const json = String.raw`[{"n": 12345678901234567890, "t": "a\u00e9]}", "x": {"y": [1.10, []]}}, true]`;
  expect(at(json, '/0/n')).toBe('12345678901234567890');
  expect(at(json, '/0/t')).toBe(String.raw`"a\u00e9]}"`);
  expect(at(json, '/0/x/y')).toBe('[1.10, []]');
  expect(at(json, '/0/x/y/1')).toBe('[]');
  expect(at(json, '/1')).toBe('true');
});

test('of equal names the last one counts, as for a parser', () => {
  expect(at('{"a": 1, "\\u0061": 2}', '/a')).toBe('2');
});

test.each([
  ['a/b', 'must be a JSON Pointer'],
  ['/a~2', 'has a ~ that is not part of ~0 or ~1'],
  ['/a~', 'has a ~ that is not part of ~0 or ~1'],
])('refuses %s', (pointer, problem) => {
  expect(() => parsePointer(pointer)).toThrow(`--select ${problem}`);
});

test('a pointer that Git Bash turned into a path has a hint', () => {
  expect(() => parsePointer('C:/Program Files/Git/name')).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('MSYS_NO_PATHCONV') }),
  );
});

test('compact JSON has no spaces between its tokens, and all those in texts', () => {
  expect(compactJson('{\n "a b" : [ 1 , "x  \\" y" ]\t}')).toBe('{"a b":[1,"x  \\" y"]}');
});
