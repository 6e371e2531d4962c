import { expect, test } from 'vitest';
import { createLineSplitter } from '../../../src/batch/input/line-splitter.ts';

/** The lines of pieces, with a limit of 3 bytes; undefined for one that is longer. */
function split(...pieces: readonly string[]): (string | undefined)[] {
  const splitter = createLineSplitter(3);
  const lines = pieces.flatMap((piece) => splitter.add(Buffer.from(piece)));
  return [...lines, ...splitter.end()].map((line) => line?.toString());
}

test.each([
  [['abc\nd\n'], ['abc', 'd']],
  [['abcd\ne\n'], [undefined, 'e']],
  [
    ['ab', 'c\n', 'd'],
    ['abc', 'd'],
  ],
  [
    ['ab', 'cd', 'e\nf'],
    [undefined, 'f'],
  ],
  [['abc'], ['abc']],
  [['abcd'], [undefined]],
  [['\n\n'], ['', '']],
])('%j are the lines %j', (pieces, lines) => {
  expect(split(...pieces)).toEqual(lines);
});
