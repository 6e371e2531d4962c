import { describe, expect, test } from 'vitest';
import { editDistance, nearlyNamed } from '../src/near-name.ts';
import { fc } from './support/properties.ts';

const names = new Set(['chat', 'models', 'config', 'help', 'a']);

describe('editDistance', () => {
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
  ['modelss', 'models'],
  ['mudels', 'models'],
  ['', undefined],
  ['x', undefined],
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
