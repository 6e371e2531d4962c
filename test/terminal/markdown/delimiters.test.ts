import { describe, expect, test } from 'vitest';
import { handleRun, type Opener } from '../../../src/terminal/markdown/inline-scanner.ts';

/** Meets every run of `*` in a text. @returns whether each closed something, and the lengths still open */
function meetAll(text: string): { readonly closed: boolean[]; readonly open: number[] } {
  const openers: Opener[] = [];
  const closed = [...text.matchAll(/\*+/g)].map(({ 0: marks, index }) =>
    handleRun(openers, {
      character: '*',
      length: marks.length,
      before: text[index - 1] ?? ' ',
      after: text[index + marks.length] ?? ' ',
      position: index,
      wordStart: index,
    }),
  );
  return { closed, open: openers.map(({ length }) => length) };
}

describe('runs of * after CommonMark 6.2', () => {
  test.each([
    ['*foo*', [false, true], []],
    ['**foo**', [false, true], []],
    // The rule of three: a run that can open and close does not match one of another length with a sum of 3.
    ['*foo**bar*', [false, false, true], []],
    // Unless both lengths are multiples of 3.
    ['foo***bar***baz', [false, true], []],
    ['foo*bar**baz', [false, false], [1, 2]],
    ['* foo', [false], []],
  ])('%s', (text, closed, open) => {
    expect(meetAll(text)).toEqual({ closed, open });
  });
});
