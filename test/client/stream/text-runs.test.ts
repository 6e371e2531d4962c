import { expect, test } from 'vitest';
import { createSurrogateCarry } from '../../../src/client/stream/text-runs.ts';
import { fc } from '../../support/properties.ts';

function carried(deltas: readonly string[]): string[] {
  const carry = createSurrogateCarry();
  return [...deltas.map((delta) => carry.take(delta)), carry.end()];
}

test.each([
  [
    ['a\ud83d', '\ude00b'],
    ['a', '😀b', ''],
  ],
  [
    ['\ud83d', '', '\ude00'],
    ['', '', '😀', ''],
  ],
  [['a\ud83d'], ['a', '\uFFFD']],
  [
    ['\ud83d', 'b'],
    ['', '\uFFFDb', ''],
  ],
  [
    ['\ud83d', '\ud83d', '\ude00'],
    ['', '\uFFFD', '😀', ''],
  ],
  [['\ude00'], ['\uFFFD', '']],
])('S35 %j is delivered as %j', (deltas, expected) => {
  expect(carried(deltas)).toStrictEqual(expected);
});

test('S35 delivers text split between any two code units whole, never with half a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat({ max: 5 }), (text, size) => {
      const deltas = text.match(new RegExp(`[^]{1,${size + 1}}`, 'g')) ?? [];
      const pieces = carried(deltas);
      expect(pieces.join('')).toBe(text.replace(/\p{Surrogate}/gu, '\uFFFD'));
      expect(pieces.some((piece) => /\p{Surrogate}/u.test(piece))).toBe(false);
    }),
  );
});
