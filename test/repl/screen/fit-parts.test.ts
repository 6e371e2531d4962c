import { expect, test } from 'vitest';
import { fittingEnd } from '../../../src/repl/screen/fit-parts.ts';
import { displayWidth } from '../../../src/terminal/text/width.ts';
import { fc } from '../../support/properties.ts';

test.each([
  ['green tea', 3, 'tea'],
  ['green tea', 9, 'green tea'],
  ['green tea', 0, ''],
  ['日本語', 5, '本語'],
  ['a日', 2, '日'],
  ['👩‍👩‍👧x', 2, 'x'],
])('the end of %j in %i columns is %j', (text, columns, end) => {
  expect(fittingEnd(text, columns)).toBe(end);
});

test('the end of any text fits, and is as long as it can be but for one wide character', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'é', '日', '👩‍👧', ' '), maxLength: 40 }),
      fc.nat(30),
      (text, columns) => {
        const end = fittingEnd(text, columns);
        expect(text.endsWith(end)).toBe(true);
        expect(displayWidth(end)).toBeLessThanOrEqual(columns);
        expect(end === text || displayWidth(end) >= columns - 1).toBe(true);
      },
    ),
  );
});
