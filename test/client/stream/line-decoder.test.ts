import { expect, test } from 'vitest';
import { LineDecoder } from '../../../src/client/stream/line-decoder.ts';
import { fc } from '../../support/properties.ts';

function decode(reads: readonly Uint8Array[]): string {
  const decoder = new LineDecoder();
  return reads.map((read) => decoder.decode(read)).join('') + decoder.end();
}

test('S4 reads CRLF that is split between two reads as one line end', () => {
  expect(decode([Buffer.from('a\r'), Buffer.from('\nb\r'), Buffer.from('c')])).toBe('a\nb\nc');
});

test('S20 ends a line at CR at once', () => {
  expect(new LineDecoder().decode(Buffer.from('a\r'))).toBe('a\n');
});

test('S36 S5 decodes bytes independently of how they are split', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 8 }),
    fc.string({ unit: 'binary' }).map((text) => new Uint8Array(Buffer.from(text))),
    fc
      .constantFrom('\r', '\n', '\r\n', 'abc', '\uFEFF', 'é😀')
      .map((text) => new Uint8Array(Buffer.from(text))),
  );
  fc.assert(
    fc.property(fc.array(bytes), (reads) => {
      const whole = new TextDecoder().decode(Buffer.concat(reads));
      expect(decode(reads)).toBe(whole.replace(/\r\n|\r/g, '\n'));
    }),
    { numRuns: 500 },
  );
});
