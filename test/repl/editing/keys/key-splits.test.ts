import { describe, expect, test } from 'vitest';
import { createKeyParser } from '../../../../src/repl/editing/keys/key-parser.ts';
import { inPaste, joinTexts, writeEvents } from './format-events.ts';
import { fc } from '../../../support/properties.ts';

const pieces: readonly string[] = [
  'hello',
  'é日👨‍👩‍👧',
  '\r',
  '\r\n',
  '\n',
  '\t',
  '\u007F',
  '\u0003',
  '\u001B[A',
  '\u001BOH',
  '\u001B[1;5C',
  '\u001B[13;2u',
  '\u001B[97:65;2u',
  '\u001B[27;2;13~',
  '\u001Bb',
  '\u001B\r',
  '\u001B[I',
  '\u001B[<0;1;2M',
  '\u001B[M !!',
  '\u001B]11;rgb:0/0/0\u001B\\',
  '\u001B\u001B[A',
  inPaste('a\r\nb'),
  inPaste('x\u001B[I\u001B[13u\u001B[31my'),
  '\u001B[[B',
  '\u001B[8$',
];

describe('any split of the bytes', () => {
  const piece = fc.constantFrom(...pieces);
  const input = fc.array(piece, { maxLength: 8 }).map((some) => Buffer.from(some.join('')));

  test('gives the same events', () => {
    fc.assert(
      fc.property(input, fc.array(fc.nat(60), { maxLength: 10 }), (bytes, cuts) => {
        const parser = createKeyParser();
        const edges = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length];
        const events = edges
          .sort((one, other) => one - other)
          .flatMap((edge, index) => parser.feed(bytes.subarray(edge, edges[index + 1] ?? edge)));
        expect(joinTexts(events)).toEqual(joinTexts(createKeyParser().feed(bytes)));
        expect(parser.flush()).toEqual([]);
      }),
    );
  });

  test('whatever arrives, the keys after the end of a sequence are read again', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const parser = createKeyParser();
        parser.feed(bytes);
        parser.flush();
        parser.feed('\u001B[201~\u0007\u001B\\');
        parser.flush();
        expect(writeEvents(parser.feed('ok'))).toBe('"ok"');
      }),
    );
  });
});
