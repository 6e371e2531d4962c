import { expect, test } from 'vitest';
import { decodeText } from '../../src/conversation/decode-text.ts';
import { expectForAll, fc } from '../support/properties.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);
const source = 'standard input';

test.each([
  ['UTF-8', Buffer.from('é日😀\n'), {}, 'é日😀\n'],
  ['an empty input', bytes(), {}, ''],
  ['a byte order mark', bytes(0xef, 0xbb, 0xbf, 0x61), {}, 'a'],
  ['little-endian UTF-16', Buffer.from('\uFEFFaé', 'utf16le'), {}, 'aé'],
  ['big-endian UTF-16', bytes(0xfe, 0xff, 0, 0x61, 0, 0xe9), {}, 'aé'],
  ['a named encoding', bytes(0xe9), { encoding: 'windows-1252' }, 'é'],
  ['UTF-16 without a mark', Buffer.from('hi', 'utf16le'), { encoding: 'utf-16le' }, 'hi'],
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
  ['P12 a character cut by the next one', bytes(0x61, 0xe9, 0x73), {}, 'byte 1 is invalid'],
  ['P12 a byte after a byte order mark', bytes(0xef, 0xbb, 0xbf, 0xff), {}, 'byte 3 is invalid'],
  ['P12 a lone surrogate', bytes(0xff, 0xfe, 0x68, 0, 0, 0xd8, 0x78, 0), {}, 'byte 4 is invalid'],
  ['P12 UTF-16 with half a character', bytes(0xff, 0xfe, 0x61), {}, 'is not UTF-16LE'],
  ['P12 an unknown label', bytes(0x61), { encoding: 'utf-7' }, 'unknown encoding "utf-7"'],
])('%s is refused', (_, input, options, message) => {
  expect(() => decodeText(input, { source, ...options })).toThrow(message);
});

test.each([
  ['PNG', '\u0089PNG\r\n\u001A\n\0', 'a PNG image', undefined],
  ['JPEG', '\u00FF\u00D8\u00FF\u00E0', 'a JPEG image', undefined],
  ['GIF', 'GIF89a\0', 'a GIF image', undefined],
  ['WebP', 'RIFF\u0010\0\0\0WEBP', 'a WebP image', undefined],
  ['PDF', '%PDF-1.7\n%\u00E2\u00E3', 'a PDF document', 'pdftotext FILE -'],
  ['ZIP', 'PK\u0003\u0004\0', 'a ZIP archive', undefined],
  ['Word', 'PK\u0003\u0004\0word/document.xml', 'a Word document', 'pandoc -t plain FILE'],
  ['gzip', '\u001F\u008B\u0008', 'gzip data', 'gzip -dc FILE'],
])('%s is named by its first bytes', (_, text, kind, command) => {
  const start = Buffer.from(text, 'latin1');
  const hint = command && `send its text: ${command} | natter "a prompt"`;
  const message = `a.bin is ${kind}; natter sends text only`;
  expect(() => decodeText(start, { source: 'a.bin' })).toThrow(
    expect.objectContaining({ message, hint }),
  );
});

test('the text of a file that only starts like a PDF is sent', () => {
  expect(decodeText(Buffer.from('%PDF-1.4 is a header'), { source })).toBe('%PDF-1.4 is a header');
});

test('P12 the offset of an invalid byte is exact in long input too', () => {
  const long = Buffer.concat([Buffer.from('日'.repeat(100_000)), bytes(0xc3, 0x28)]);
  expect(() => decodeText(long, { source })).toThrow('byte 300000 is invalid');
});

test('decodes any text unchanged', () => {
  expectForAll(fc.string({ unit: 'grapheme' }), (text) => {
    const plain = text.replaceAll('\0', '').replace(/^\uFEFF+/, '');
    expect(decodeText(Buffer.from(plain), { source })).toBe(plain);
  });
});
