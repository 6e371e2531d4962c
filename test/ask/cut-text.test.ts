import { fc } from '../support/properties.ts';
import { expect, test } from 'vitest';
import { cutText } from '../../src/ask/split.ts';
import { estimateTokens } from '../../src/conversation/token-estimate.ts';

const words = 'one two three four five six seven eight';

test('lines are kept whole, and as many as fit are in one part', () => {
  const text = `${words}\n`.repeat(5);
  const { parts, longLines } = cutText(text, 'lines', 20);
  expect(longLines).toBe(0);
  expect(parts).toEqual([`${words}\n`.repeat(2), `${words}\n`.repeat(2), `${words}\n`]);
});

test('paragraphs are kept whole, with the blank lines after them', () => {
  const text = `${words}\n${words}\n\n${words}\n \n\n${words}\n`;
  const { parts } = cutText(text, 'paragraphs', 25);
  expect(parts).toEqual([`${words}\n${words}\n\n`, `${words}\n \n\n${words}\n`]);
});

test('a paragraph that does not fit is cut between its lines', () => {
  const { parts } = cutText(`a\n\n${`${words}\n`.repeat(3)}`, 'paragraphs', 12);
  expect(parts).toEqual([`a\n\n${words}\n`, `${words}\n`, `${words}\n`]);
});

test('a line that does not fit is cut between characters, and counted', () => {
  const { parts, longLines } = cutText(`a\n${'x'.repeat(100)}\nb`, 'lines', 10);
  expect(parts.join('')).toBe(`a\n${'x'.repeat(100)}\nb`);
  expect(longLines).toBe(1);
});

test('no text is dropped, no part is too long, and no character is divided', () => {
  const piece = fc.constantFrom(
    'a',
    'word ',
    '\n',
    '\n\n',
    '\r\n',
    ' ',
    '\u20ac',
    '\u{1F600}',
    '\u{1F468}',
  );
  const texts = fc.array(piece, { maxLength: 300 }).map((pieces) => pieces.join(''));
  const border = fc.constantFrom('lines' as const, 'paragraphs' as const);
  fc.assert(
    fc.property(texts, border, fc.integer({ min: 2, max: 30 }), (text, kind, most) => {
      const { parts } = cutText(text, kind, most);
      expect(parts.join('')).toBe(text);
      for (const part of parts) {
        expect(estimateTokens(part)).toBeLessThanOrEqual(most);
        expect(Buffer.from(part).toString()).toBe(part);
      }
    }),
  );
});
