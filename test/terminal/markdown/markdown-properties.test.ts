import { expect, test } from 'vitest';
import { sanitize } from '../../../src/terminal/safety/sanitizer.ts';
import { stylesOf } from '../../../src/terminal/text/wrap.ts';
import { cutAt, fragments, markdownOf } from './any-markdown.ts';
import { openStream, render } from './render.ts';
import { expectForAll, fc } from '../../support/properties.ts';

/** Letters and digits, in order, without the numbers of code blocks and the names of entities. */
function letters(text: string): string {
  return text.match(/[\p{L}\p{N}]+/gu)?.join('') ?? '';
}

const markdown = markdownOf(fragments);

test('the output does not depend on the pieces', () => {
  const cuts = fc.array(fc.nat(), { maxLength: 8 });
  fc.assert(
    fc.property(markdown, cuts, fc.boolean(), (source, places, color) => {
      const whole = render(source, { color });
      expect(render(cutAt(source, places), { color })).toBe(whole);
      expect(render(source.split(''), { color })).toBe(whole);
    }),
    { numRuns: 2000 },
  );
});

test('any Markdown keeps its letters and digits, in order', () => {
  fc.assert(
    fc.property(markdown, (source) => {
      const plain = source
        .replaceAll('```', '')
        .replaceAll('~~~', '')
        .replaceAll('&amp;', '')
        .replaceAll('    ', '');
      const options = { color: false, unicode: false, width: 10_000 };
      expect(letters(render(plain, options))).toBe(letters(plain));
    }),
    { numRuns: 1000 },
  );
});

test('T19 any output ends with a line end, and has no ESC byte without colour', () => {
  expectForAll(markdown, (source) => {
    expect(render(source, { color: false })).toMatch(/^$|^[^\u001B]*\n$/);
  });
});

test('T1 no Markdown gives escape codes but those of natter', () => {
  expectForAll(markdown, (source) => {
    const bare = render(source).replaceAll(/\u001B\[(?:[123469]|2[2-49]|3[1-69])m/g, '');
    expect(sanitize(bare)).toBe(bare);
  });
});

test('T14 every look is closed at the end of each piece and each line', () => {
  expectForAll(markdown, (source) => {
    const stream = openStream();
    const pieces = [];
    for (const unit of source) pieces.push(stream.write(unit));
    pieces.push(stream.end());
    for (const line of pieces.flatMap((piece) => piece.split('\n'))) {
      expect(stylesOf(line)).toEqual([]);
    }
  });
});
