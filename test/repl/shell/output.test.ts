import { describe, expect, test } from 'vitest';
import { createOutputLines, createOutputTail } from '../../../src/repl/shell/shell-lines.ts';
import { fc } from '../../support/properties.ts';

/** The lines that are returned, and the rest at the end. */
function linesOf(...pieces: readonly string[]): readonly string[] {
  const lines = createOutputLines();
  return [...pieces.map((piece) => lines.add(piece)), lines.end()];
}

describe('the output of a command', () => {
  test('is returned line by line', () => {
    expect(linesOf('one\ntw', 'o\nthree', '')).toEqual(['one\n', 'two\n', '', 'three\n']);
  });

  test('has no line that was not printed', () => {
    expect(linesOf('one\n')).toEqual(['one\n', '']);
  });

  test.each([
    ['a progress line that is overwritten', '10%\r20%\r100%\n', '100%\n'],
    ['line ends of Windows', 'one\r\ntwo\r\n', 'one\ntwo\n'],
    ['a return before the line end', 'done\r\r\n', 'done\n'],
  ])('shows the last state of %s', (_what, text, shown) => {
    expect(linesOf(text)).toEqual([shown, '']);
  });

  test('does not hold back a very long line', () => {
    const [first, , rest] = linesOf('a'.repeat(70_000), 'b', 'c\nd');
    expect(first).toBe(`${'a'.repeat(70_000)}\n`);
    expect(rest).toBe('bc\n');
  });
});

/** The end of a text that arrived in these pieces. */
function endOf(limit: number, ...pieces: readonly string[]) {
  const tail = createOutputTail(limit);
  for (const piece of pieces) tail.add(piece);
  return tail.end();
}

describe('the end of an output', () => {
  test('is all of a short one', () => {
    expect(endOf(100, 'one\n', 'two\n')).toEqual({ text: 'one\ntwo\n', bytes: 8, cut: 0 });
  });

  test('has whole lines', () => {
    expect(endOf(9, 'one\ntwo\n', 'three\n')).toEqual({ text: 'three\n', bytes: 14, cut: 8 });
  });

  test('has whole characters if the last line is cut', () => {
    expect(endOf(4, 'één')).toEqual({ text: 'én', bytes: 5, cut: 2 });
  });

  test('has at most the limit, and the number of bytes before it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' })),
        fc.integer({ min: 4, max: 40 }),
        (pieces, limit) => {
          const whole = Buffer.from(pieces.join(''));
          const { text, bytes, cut } = endOf(limit, ...pieces);
          const kept = Buffer.from(text);
          expect(bytes).toBe(whole.length);
          expect(kept.length).toBeLessThanOrEqual(limit);
          expect(cut).toBe(whole.length - kept.length);
          expect(whole.subarray(cut)).toEqual(kept);
        },
      ),
    );
  });
});
