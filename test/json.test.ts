import { describe, expect, test } from 'vitest';
import { jsonExcess, jsonProblem, parseJson } from '../src/json.ts';
import { fc } from './support/properties.ts';

const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;

/** Objects and arrays in one another, counted on the parsed value. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const within = (depth: number) => ({ depth, values: Infinity });

describe('depth', () => {
  test('is measured as a parser would find it', () => {
    fc.assert(
      fc.property(fc.json(), fc.boolean(), (text, isSpaced) => {
        const value: unknown = JSON.parse(text);
        const written = isSpaced ? JSON.stringify(value, undefined, 2) : text;
        const depth = depthOf(value);
        expect(jsonExcess(written, within(depth))).toBeUndefined();
        expect(jsonExcess(`[${written}]`, within(depth))).toBe('depth');
      }),
    );
  });

  test.each([String.raw`"[[[\"[[["`, String.raw`"\\"`, String.raw`["\\\"[", "[[", "\\\\"]`])(
    'is not that of brackets in a string: %s',
    (text) => {
      expect(() => JSON.parse(text) as unknown).not.toThrow();
      expect(jsonExcess(text, within(1))).toBeUndefined();
    },
  );

  test('that is too much is found in text that is cut or no JSON', () => {
    expect(jsonExcess('['.repeat(1e6), within(100))).toBe('depth');
    expect(jsonExcess(`"${'['.repeat(1e6)}`, within(100))).toBeUndefined();
    expect(jsonExcess(`"${'\\'.repeat(1e6)}`, within(100))).toBeUndefined();
  });

  test('X5: 500 is parsed, more is no value but a problem with a name', () => {
    expect(depthOf(parseJson(nested(500)))).toBe(500);
    for (const depth of [502, 100_000]) {
      expect(parseJson(nested(depth))).toBeUndefined();
      expect(jsonProblem(nested(depth))).toBe('is nested more than 500 deep');
    }
    expect(jsonProblem('{')).toBe('is not JSON');
  });

  test('does not add up over many values', () => {
    const text = `[${'[{}],'.repeat(10_000)}1]`;
    expect(parseJson(text)).toHaveLength(10_001);
  });
});

test('values are counted with those of strings, numbers and empty lists', () => {
  const limits = (values: number) => ({ depth: 10, values });
  expect(jsonExcess('[1,"a,b",{},[]]', limits(8))).toBeUndefined();
  expect(jsonExcess('[1,"a,b",{},[]]', limits(6))).toBe('values');
});
