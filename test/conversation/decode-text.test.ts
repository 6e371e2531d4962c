import { describe, expect, test } from 'vitest';
import { decodeText } from '../../src/conversation/decode-text.ts';
import { fc } from '../support/properties.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);
const source = 'standard input';

describe('decodeText', () => {
  test.each([
    ['UTF-8', Buffer.from('é日😀\n'), {}, 'é日😀\n'],
    ['an empty input', bytes(), {}, ''],
    ['a byte order mark', bytes(0xef, 0xbb, 0xbf, 0x61), {}, 'a'],
    ['little-endian UTF-16', Buffer.from('\uFEFFaé', 'utf16le'), {}, 'aé'],
    ['big-endian UTF-16', bytes(0xfe, 0xff, 0, 0x61, 0, 0xe9), {}, 'aé'],
    ['a named encoding', bytes(0xe9), { encoding: 'windows-1252' }, 'é'],
    ['a multi-byte encoding', bytes(0x93, 0xfa), { encoding: 'shift_jis' }, '日'],
    ['bytes that are not text, when lossy', bytes(0x61, 0xff, 0x62), { lossy: true }, 'a\uFFFDb'],
    ['NUL, when lossy', bytes(0x61, 0, 0x62), { lossy: true }, 'a\0b'],
  ])('P12 reads %s', (_, input, options, text) => {
    expect(decodeText(input, { source, ...options })).toBe(text);
  });

  test.each([
    ['P11 NUL', bytes(0x61, 0x62, 0), {}, 'standard input is binary: byte 2 is NUL'],
    ['P12 a lone byte', bytes(0x61, 0xff), {}, 'standard input is not UTF-8: byte 1 is invalid'],
    ['P12 a character cut off', bytes(0x61, 0xe2, 0x82), {}, 'byte 1 is invalid'],
    ['P12 UTF-16 with half a character', bytes(0xff, 0xfe, 0x61), {}, 'is not UTF-16LE'],
    ['P12 an unknown label', bytes(0x61), { encoding: 'utf-7' }, 'unknown encoding "utf-7"'],
  ])('%s is refused', (_, input, options, message) => {
    expect(() => decodeText(input, { source, ...options })).toThrow(message);
  });

  test('P12 the offset of an invalid byte is exact in long input too', () => {
    const long = Buffer.concat([Buffer.from('日'.repeat(100_000)), bytes(0xc3, 0x28)]);
    expect(() => decodeText(long, { source })).toThrow('byte 300000 is invalid');
  });

  test('decodes any text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const plain = text.replaceAll('\0', '').replace(/^\uFEFF+/, '');
        expect(decodeText(Buffer.from(plain), { source })).toBe(plain);
      }),
    );
  });
});
