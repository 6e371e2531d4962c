import { expect, test } from 'vitest';
import { parseNotation } from '../../src/schema/schema-text.ts';

const closed = { additionalProperties: false };

test('fields are required texts of a closed object, unless a type or ? is named', () => {
  expect(parseNotation('name, age int, nick? string', '--schema')).toEqual({
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' }, nick: { type: 'string' } },
    required: ['name', 'age'],
    ...closed,
  });
});

test.each([
  ['size number', { type: 'number' }],
  ['size float', { type: 'number' }],
  ['size BOOL', { type: 'boolean' }],
  ['size date', { type: 'string', format: 'date' }],
  ['size datetime', { type: 'string', format: 'date-time' }],
  ['size[]', { type: 'array', items: { type: 'string' } }],
  ['size []', { type: 'array', items: { type: 'string' } }],
  ['size int[][]', { type: 'array', items: { type: 'array', items: { type: 'integer' } } }],
  ['size small|large', { type: 'string', enum: ['small', 'large'] }],
  ['size "very small" | large', { type: 'string', enum: ['very small', 'large'] }],
  ['size: in metres', { type: 'string', description: 'in metres' }],
  ['size int: in metres', { type: 'integer', description: 'in metres' }],
  ['size: "in metres, or feet"', { type: 'string', description: 'in metres, or feet' }],
])('%s', (text, schema) => {
  expect(parseNotation(text, '--schema')).toMatchObject({ properties: { size: schema } });
});

test('line ends separate fields as commas do', () => {
  const lines = parseNotation('name: the full name\r\nage int\n', '--schema');
  expect(lines).toEqual(parseNotation('name: the full name, age int', '--schema'));
});

test('with a field on each line, a description may contain commas, as in llm', () => {
  const text =
    'name: the full name, with titles,\nage int: in years, team [name: a nick, age int]\nbio';
  expect(parseNotation(text, '--schema')).toMatchObject({
    properties: {
      name: { description: 'the full name, with titles' },
      age: { type: 'integer', description: 'in years, team [name: a nick, age int]' },
      bio: { type: 'string' },
    },
  });
  const nested = parseNotation('team [name: a nick, age int]\nbio', '--schema');
  expect(nested).toMatchObject({
    properties: { team: { items: { properties: { age: { type: 'integer' } } } } },
  });
});

test('brackets make lists of objects, braces objects, at any depth', () => {
  const person = parseNotation('name, age int', '--schema');
  expect(parseNotation('[name, age int]', '--schema')).toEqual({ type: 'array', items: person });
  expect(parseNotation('boss {name, age int}, team [name, age int]', '--schema')).toMatchObject({
    properties: { boss: person, team: { type: 'array', items: person } },
    required: ['boss', 'team'],
  });
});

test('a name with spaces is in quotes, and may be that of an inherited member', () => {
  const { properties } = parseNotation('"first name", __proto__ int', '--schema');
  expect(Object.keys(properties as object)).toEqual(['first name', '__proto__']);
});

test.each([
  ['', 'expected the name of a field at the end'],
  ['name, age itn', 'unknown type "itn" of the field "age" at the end'],
  ['name string age int', 'expected a comma between fields at "age int"'],
  ['name, name', 'the field "name" is named twice at the end'],
  ['[name, age', 'expected a closing "]" at the end'],
  ['[name] x', 'unexpected text after the closing "]" at "x"'],
  ['team [name', 'expected a closing "]" at the end'],
  ['team []x', 'expected a comma between fields at "x"'],
  ['a = 1', 'expected a type, a comma or a colon after "a" at "= 1"'],
  ['size small|', 'expected a word or "text" after | at the end'],
  ['@', 'expected the name of a field at "@"'],
])('the mistake in %j is named with its place', (text, problem) => {
  expect(() => parseNotation(text, '--schema')).toThrow(`--schema: ${problem}`);
});

test('a type that is nearly one has a suggestion', () => {
  const failure = { kind: 'usage', hint: expect.stringMatching(/^did you mean int\?/) as string };
  expect(() => parseNotation('age itn', '--schema')).toThrow(expect.objectContaining(failure));
});
