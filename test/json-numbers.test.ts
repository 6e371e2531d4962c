import { describe, expect, test } from 'vitest';
import { inexactNumbers } from '../src/json.ts';
import { fc } from './support/properties.ts';

describe('numbers that JavaScript cannot hold', () => {
  const found = (text: string) => [...inexactNumbers(text)].map((number) => number.text);

  test.each([
    ['12345678901234567890', ['12345678901234567890']],
    ['9007199254740993', ['9007199254740993']],
    ['9007199254740992', []],
    ['1e400', ['1e400']],
    ['-1e-400', ['-1e-400']],
    ['[1E308,1.0,-0,0e999,0.1,100000000000000000000,1.50e+2]', []],
    ['0.12345678901234567', ['0.12345678901234567']],
    [`1${'0'.repeat(2000)}`, [`1${'0'.repeat(2000)}`]],
    ['"12345678901234567890 \\" 1e400"', []],
  ])('X14: of %s', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  test('X14: are known by the field of the outermost object', () => {
    const text = '{"a":"1e400","b" :{"c":[1,1e400],"d":"\\\\"},"e\\u0041":1e999}';
    expect([...inexactNumbers(text)]).toEqual([
      { text: '1e400', field: 'b' },
      { text: '1e999', field: 'eA' },
    ]);
  });

  test('X14: are none of those that JavaScript writes', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(found(JSON.stringify(JSON.parse(text)))).toEqual([]);
      }),
    );
  });
});
