import { expect, test } from 'vitest';
import { createLineReader, joinContinued } from '../../../src/repl/line-mode/line-input.ts';
import { fc } from '../../support/properties.ts';

test('lines do not depend on how their bytes are split', () => {
  const text = 'one\ntwö 🙂\r\nthree\n\nfour';
  const bytes = Buffer.from(text);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), (cuts) => {
      const reader = createLineReader();
      const points = [0, ...[...cuts].sort((one, other) => one - other), bytes.length];
      const lines = points
        .slice(1)
        .flatMap((end, index) => reader.feed(bytes.subarray(points[index], end)));
      expect([...lines, reader.end()]).toEqual(['one', 'twö 🙂', 'three', '', 'four']);
    }),
  );
});

test.each([
  [['a', 'b'], ['a', 'b'], []],
  [['a\\', 'b'], ['a\nb'], []],
  [['a', 'b\\'], ['a'], ['b\\']],
])('%j is whole as %j and open as %j', (lines, whole, open) => {
  expect(joinContinued(lines)).toEqual({ whole, open });
});
