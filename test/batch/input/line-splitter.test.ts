import { expect, test } from 'vitest';
import { createLineSplitter } from '../../../src/batch/input/input-lines.ts';

/** The lines of chunks, with a limit of 3 bytes; undefined for a longer one. */
function split(...chunks: readonly string[]): (string | undefined)[] {
  const splitter = createLineSplitter(3);
  const lines = chunks.flatMap((chunk) => splitter.add(Buffer.from(chunk)));
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
])('splits %j into %j', (chunks, lines) => {
  expect(split(...chunks)).toEqual(lines);
});
