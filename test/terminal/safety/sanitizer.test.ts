import { describe, expect, test } from 'vitest';
import {
  createSanitizer,
  escapeJson,
  sanitize,
  sanitizeLine,
} from '../../../src/terminal/safety/sanitizer.ts';
import { processorTime } from '../../support/processor-time.ts';
import { fc } from '../../support/properties.ts';
import { hostileCorpus } from '../hostile-corpus.ts';

function inPieces(pieces: readonly string[]): string {
  const sanitizer = createSanitizer();
  return pieces.map((piece) => sanitizer.write(piece)).join('') + sanitizer.end();
}

test.each(hostileCorpus)('T1 T5 T7 T8 shows only the text of: $name', ({ input, shown }) => {
  expect(sanitize(input)).toBe(shown);
});

describe('createSanitizer', () => {
  test.each(hostileCorpus)('T2 does not depend on the split of: $name', ({ input, shown }) => {
    for (let at = 0; at <= input.length; at += 1) {
      expect(inPieces([input.slice(0, at), input.slice(at)])).toBe(shown);
    }
    expect(inPieces(input.split(''))).toBe(shown);
  });

  test('T2 does not depend on the split of any text', () => {
    const alphabet = '\u001B[]P\\;0m31\u0007\u009B\u009C\r\nab日\u202E\u{E0067}🏴😀\uD83D\u0018';
    const unit = fc.constantFrom(...alphabet.split(''));
    fc.assert(
      fc.property(
        fc.array(fc.array(unit, { maxLength: 6 }).map((units) => units.join(''))),
        (pieces) => {
          expect(inPieces(pieces)).toBe(sanitize(pieces.join('')));
        },
      ),
    );
  });

  test('a second pass finds nothing to remove', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const once = sanitize(text);
        expect(sanitize(once)).toBe(once);
      }),
    );
  });

  test('counts a split escape sequence once', () => {
    const sanitizer = createSanitizer();
    for (const unit of 'a\u001B]0;title\u001B\\b\u202Ec\r\nd') sanitizer.write(unit);
    expect(sanitizer.removed).toBe(2);
  });

  test('holds a high surrogate until its other half arrives', () => {
    const sanitizer = createSanitizer();
    expect(sanitizer.write('a\uD83D')).toBe('a');
    expect(sanitizer.write('\uDE00')).toBe('😀');
    expect(sanitizer.removed).toBe(0);
  });

  test('T13 shows the lines after an OSC that never ends', () => {
    const sanitizer = createSanitizer();
    expect(sanitizer.write('one\u001B]0;')).toBe('one');
    expect(sanitizer.write('hidden')).toBe('');
    expect(sanitizer.write('\ntwo')).toBe('\ntwo');
  });

  test('starts with a new state after its end', () => {
    const sanitizer = createSanitizer();
    sanitizer.write('a\u001B]0;title');
    sanitizer.end();
    expect(sanitizer.write('b')).toBe('b');
  });

  test.each([
    ['a line of a million characters', 'x'.repeat(1e6)],
    ['a million unfinished sequences', '\u001B['.repeat(5e5)],
    ['a million combining marks', `e${'\u0301'.repeat(1e6)}`],
    ['a million lone surrogates', '\uD800'.repeat(1e6)],
  ])('T15 does not hang on %s', async (_name, text) => {
    expect(await processorTime(() => sanitize(text))).toBeLessThan(3000);
  });

  test('T15 keeps 200 combining marks', () => {
    const text = `e${'\u0301'.repeat(200)}`;
    expect(sanitize(text)).toBe(text);
  });
});

test('T4 sanitizeLine returns one line', () => {
  expect(sanitizeLine('a\tb\nc\r\nd\u001B[31me')).toBe('a b c de');
});

test.each(hostileCorpus)('T16 T18 shows safely and parses back to: $name', ({ input }) => {
  const json = escapeJson(JSON.stringify({ [input]: input }));
  expect(sanitize(json.replaceAll('🏴', ''))).toBe(json.replaceAll('🏴', ''));
  expect(JSON.parse(json)).toEqual({ [input]: input });
});

test('T16 parses back to any value', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(JSON.parse(escapeJson(JSON.stringify(text)))).toBe(text);
    }),
  );
});

test.each([
  ['\u009B', String.raw`"\u009b"`],
  ['\u007F', String.raw`"\u007f"`],
  ['\u202E', String.raw`"\u202e"`],
  ['\u{E0041}', String.raw`"\udb40\udc41"`],
  ['日 😀', '"日 😀"'],
])('T16 writes %j as %s', (text, json) => {
  expect(escapeJson(JSON.stringify(text))).toBe(json);
});
