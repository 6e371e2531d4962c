import { expect, test } from 'vitest';
import { visibleText } from '../../../src/terminal/markdown/span.ts';
import { wrapSpans } from '../../../src/terminal/markdown/wrap.ts';
import { displayWidth } from '../../../src/terminal/text/width.ts';
import { fc } from '../../support/properties.ts';

const wrap = (text: string, width: number) =>
  wrapSpans([{ text, looks: [] }], width).map(visibleText);

test.each([
  ['one two three', 8, ['one two', 'three']],
  ['extraordinary', 5, ['extra', 'ordin', 'ary']],
  ['日本語', 4, ['日本', '語']],
  ['日本', 1, ['日', '本']],
  ['a\nb', 10, ['a', 'b']],
  ['', 5, ['']],
])('wraps %j at %i', (text, width, lines) => {
  expect(wrap(text, width)).toEqual(lines);
});

test('keeps a word of several looks together', () => {
  const spans = [
    { text: 'one tw', looks: [] },
    { text: 'o', looks: ['bold' as const] },
  ];
  expect(wrapSpans(spans, 5).map(visibleText)).toEqual(['one', 'two']);
});

test('no line exceeds the width unless one character does, and nothing is lost', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '日', 'é', '👨‍👩‍👧‍👦') });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 12 }), (source, width) => {
      const lines = wrap(source, width);
      expect(lines.join('').replaceAll(' ', '')).toBe(source.replaceAll(' ', ''));
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(2, width));
    }),
  );
});
