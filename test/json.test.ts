import { describe, expect, test } from 'vitest';
import {
  inexactNumbers,
  isTooDeep,
  jsonProblem,
  lineProblem,
  locatedProblem,
  parseJson,
} from '../src/json.ts';
import { expectForAll, fc } from './support/properties.ts';

const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;

/** The nesting of a parsed value. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('depth', () => {
  test('equals the depth of the parsed value', () => {
    expectForAll(fc.json(), fc.boolean(), (text, isSpaced) => {
      const value: unknown = JSON.parse(text);
      const written = isSpaced ? JSON.stringify(value, undefined, 2) : text;
      const wrapped = (depth: number) => '['.repeat(depth) + written + ']'.repeat(depth);
      const rest = 500 - depthOf(value);
      expect(isTooDeep(wrapped(rest))).toBe(false);
      expect(isTooDeep(wrapped(rest + 1))).toBe(true);
    });
  });

  test.each([String.raw`"[[[\"[[["`, String.raw`"\\"`, String.raw`["\\\"[", "[[", "\\\\"]`])(
    'does not count brackets in a string: %s',
    (text) => {
      expect(() => JSON.parse(text) as unknown).not.toThrow();
      expect(isTooDeep(`${'['.repeat(499)}${text}`)).toBe(false);
    },
  );

  test('X5: is at most 500, and checked in text that is cut or not JSON', () => {
    expect(depthOf(parseJson(nested(500)))).toBe(500);
    for (const text of [nested(502), '['.repeat(1e6)]) {
      expect(parseJson(text)).toBeUndefined();
      expect(jsonProblem(text)).toBe('is nested more than 500 deep');
      expect(locatedProblem(text)).toBe('is nested more than 500 deep');
      expect(lineProblem(text)).toBe('is nested more than 500 deep');
    }
    for (const text of [`"${'['.repeat(1e6)}`, `"${'\\'.repeat(1e6)}`, '[{}],'.repeat(10_000)]) {
      expect(jsonProblem(text)).toBe('is not JSON');
    }
  });
});

describe('numbers that JavaScript cannot represent', () => {
  const found = (text: string) => [...inexactNumbers(text)].map((number) => number.text);

  test.each([
    ['12345678901234567890', ['12345678901234567890']],
    ['9007199254740993', ['9007199254740993']],
    ['1e400', ['1e400']],
    ['-1e-400', ['-1e-400']],
    ['[1E308,1.0,-0,0e999,0.1,100000000000000000000,1.50e+2]', []],
    ['0.12345678901234567', ['0.12345678901234567']],
    [`1${'0'.repeat(2000)}`, [`1${'0'.repeat(2000)}`]],
    ['"12345678901234567890 \\" 1e400"', []],
  ])('X14: of %s', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  test('X14: have the field of the outermost object', () => {
    const text = '{"a":"1e400","b" :{"c":[1,1e400],"d":"\\\\"},"e\\u0041":1e999}';
    expect([...inexactNumbers(text)]).toEqual([
      { text: '1e400', field: 'b' },
      { text: '1e999', field: 'eA' },
    ]);
  });

  test('X14: are never numbers that JavaScript writes', () => {
    expectForAll(fc.json(), (text) => {
      expect(found(JSON.stringify(JSON.parse(text)))).toEqual([]);
    });
  });
});

test.each([
  ['', 1, 1],
  ['{', 1, 2],
  ['{"a": }', 1, 7],
  ['{"type": "object",\n "properties": {"a": }}', 2, 22],
  ['{"a": 1,}', 1, 9],
  ["{'a': 1}", 1, 2],
  ['{"a" 1}', 1, 6],
  ['{"a": 1 "b": 2}', 1, 9],
  ['{"a": "b\nc"}', 1, 7],
  ['{"a": "\\x"}', 1, 7],
  ['{"a": "b}', 1, 7],
  ['{"a": 01}', 1, 7],
  ['{"a": 1.}', 1, 7],
  ['{"a": NaN}', 1, 7],
  ['{"a": 1} x', 1, 10],
  ['{"a": [1, {"b": "\\u00e4 ü"}\n\n', 1, 28],
  ['[}', 1, 2],
  ['{"a": 1, // note\n"b": 2}', 1, 10],
])('%j stops being JSON at %i:%i', (text, line, column) => {
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  expect(locatedProblem(text)).toBe(`is not JSON at line ${line}, column ${column}`);
});

test('valid JSON before an error is read completely', () => {
  expectForAll(fc.json(), fc.constantFrom('x', ',', '}', '"'), (text, error) => {
    expect(lineProblem(`${text} ${error}`)).toBe(`is not JSON at column ${text.length + 2}`);
  });
});
