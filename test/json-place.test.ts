import { expect, test } from 'vitest';
import { lineProblem, locatedProblem } from '../src/json.ts';
import { fc } from './support/properties.ts';

test.each([
  ['', 1, 1],
  ['{', 1, 2],
  ['{"a": }', 1, 7],
  ['{"type": "object",\n "properties": {"a": }}', 2, 22],
  ['{"a": 1,}', 1, 9],
  ['[1, 2,\n]', 2, 1],
  ["{'a': 1}", 1, 2],
  ['{a: 1}', 1, 2],
  ['{"a" 1}', 1, 6],
  ['{"a": 1 "b": 2}', 1, 9],
  ['{"a": "b\nc"}', 1, 7],
  ['{"a": "\\x"}', 1, 7],
  ['{"a": "b}', 1, 7],
  ['{"a": 01}', 1, 8],
  ['{"a": 1.}', 1, 8],
  ['{"a": NaN}', 1, 7],
  ['{"a": 1]', 1, 8],
  ['{"a": 1} x', 1, 10],
  ['{"a": [1, {"b": "\\u00e4 ü"}\n\n', 1, 28],
  ['[}', 1, 2],
  [',', 1, 1],
  ['{"a": 1, // note\n"b": 2}', 1, 10],
])('%j stops being JSON at %i:%i', (text, line, column) => {
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  expect(locatedProblem(text)).toBe(`is not JSON at line ${line}, column ${column}`);
});

test('text that is nested too deep has no place', () => {
  expect(locatedProblem('['.repeat(501))).toBe('is nested more than 500 deep');
  expect(lineProblem('['.repeat(501))).toBe('is nested more than 500 deep');
});

test('valid JSON before an error is read completely', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom('x', ',', '}', '"'), (text, error) => {
      expect(lineProblem(`${text} ${error}`)).toBe(`is not JSON at column ${text.length + 2}`);
    }),
  );
});
