import { describe, expect, test } from 'vitest';
import { editDistance, nearlyNamed } from '../src/near-name.ts';
import { fc } from './support/properties.ts';

const names = new Set(['chat', 'models', 'config', 'help']);

test.each(['', '-', 'x'])('no name of one letter resembles "%s"', (word) => {
  expect(nearlyNamed(word, ['a'])).toBeUndefined();
});

describe('editDistance', () => {
  test.each([
    ['models', 'models', 0],
    ['modles', 'models', 1],
    ['model', 'models', 1],
    ['modelss', 'models', 1],
    ['mudels', 'models', 1],
    ['', 'help', 4],
    ['config', 'help', 6],
  ])('between %s and %s is %d', (left, right, distance) => {
    expect(editDistance(left, right)).toBe(distance);
  });

  test('is symmetric and at most the length of the longer word', () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(word, word, (left, right) => {
        expect(editDistance(left, right)).toBe(editDistance(right, left));
        expect(editDistance(left, right)).toBeLessThanOrEqual(Math.max(left.length, right.length));
      }),
    );
  });
});

test.each([
  ['modles', 'models'],
  ['Models', 'models'],
  ['hlep', 'help'],
  ['hepl', 'help'],
  ['cat', 'chat'],
  ['hello', undefined],
  ['models', undefined],
  ['yellow', undefined],
  ['why', undefined],
  ['modles now', undefined],
])('%j almost matches %s', (word, name) => {
  expect(nearlyNamed(word, names)).toBe(name);
});
