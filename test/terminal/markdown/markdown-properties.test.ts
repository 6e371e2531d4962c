import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { sanitize } from '../../../src/terminal/safety/sanitizer.ts';
import { cutAt, documents, fragments, markdownOf } from './documents.ts';
import { openStream, render } from './render.ts';
import { fc } from '../../support/properties.ts';

const names = Object.keys(documents);

/** Letters and digits, in order, without the numbers of code blocks and the names of entities. */
function letters(text: string): string {
  return text.match(/[\p{L}\p{N}]+/gu)?.join('') ?? '';
}

const markdown = markdownOf(fragments);

describe('the output does not depend on the pieces', () => {
  test.each(names)('of %s, code unit by code unit', (name) => {
    const source = documents[name] ?? '';
    for (const color of [true, false]) {
      expect(render(source.split(''), { color })).toBe(render(source, { color }));
    }
  });

  test.each(names)('of %s, in any two pieces', (name) => {
    const source = documents[name] ?? '';
    const whole = render(source);
    const different: number[] = [];
    for (let at = 1; at < source.length; at += 1) {
      const output = render([source.slice(0, at), source.slice(at)]);
      if (output !== whole) different.push(at);
    }
    expect(different).toEqual([]);
  });

  test('of any Markdown in any split', () => {
    const cuts = fc.array(fc.nat(), { maxLength: 8 });
    fc.assert(
      fc.property(markdown, cuts, (source, places) => {
        expect(render(cutAt(source, places))).toBe(render(source));
        expect(render(source.split(''))).toBe(render(source));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('all of the source is shown', () => {
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

  test.each(['prose', 'lists', 'quotes', 'blocks', 'languages', 'mathematics', 'hostile'])(
    'of %s',
    (name) => {
      const source = (documents[name] ?? '')
        .replaceAll(/&(?:amp|hellip);/g, '')
        .replaceAll('```', '\n');
      const shown = render(source, { color: false, unicode: false });
      const output = stripVTControlCharacters(shown);
      expect(letters(output)).toBe(letters(source));
    },
  );

  test.each([1, 2, 3, 5, 10, 20, 40, 80, 200])('of tables at width %i', (width) => {
    const source = documents['tables'] ?? '';
    const output = letters(stripVTControlCharacters(render(source, { width })));
    for (const word of source.match(/[\p{L}\p{N}]+/gu) ?? []) {
      for (const character of word) expect(output).toContain(character);
    }
    expect(output.length).toBeGreaterThanOrEqual(letters(source).length);
  });
});

describe('T14 T19 what goes to the terminal', () => {
  test('T19 no Markdown gives an ESC byte without colour and hyperlinks', () => {
    fc.assert(
      fc.property(markdown, (source) => {
        expect(render(source, { color: false })).not.toContain('\u001B');
      }),
    );
  });

  test.each(names)('T1 %s gives no escape codes but those of natter', (name) => {
    const output = render(documents[name] ?? '');
    const bare = output.replaceAll(/\u001B\[(?:[123469]|2[2-49]|3[1-69])m/g, '');
    expect(sanitize(bare)).toBe(bare);
  });

  test('T14 every look is closed at the end of each piece and each line', () => {
    fc.assert(
      fc.property(markdown, (source) => {
        const stream = openStream();
        const pieces = [];
        for (const unit of source) pieces.push(stream.write(unit));
        pieces.push(stream.end());
        for (const line of pieces.flatMap((piece) => piece.split('\n'))) {
          expect(openLooks(line)).toEqual([]);
        }
      }),
    );
  });

  test('any output ends with a line end', () => {
    fc.assert(
      fc.property(markdown, (source) => {
        expect(render(source)).toMatch(/^$|\n$/);
      }),
    );
  });
});

function openLooks(line: string): number[] {
  const closes: Record<number, number[]> = {
    22: [1, 2],
    23: [3],
    24: [4],
    29: [9],
    39: [31, 32, 33, 34, 35, 36],
  };
  let open: number[] = [];
  for (const [, code] of line.matchAll(/\u001B\[(\d+)m/g)) {
    const closed = closes[Number(code)];
    open = closed ? open.filter((look) => !closed.includes(look)) : [...open, Number(code)];
  }
  return open;
}
