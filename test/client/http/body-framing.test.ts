import { expect, test } from 'vitest';
import {
  type BodyFraming,
  ChunkedBody,
  countedBody,
} from '../../../src/client/http/node/body-framing.ts';

function decodeAll(framing: BodyFraming, parts: readonly string[]) {
  const text = parts.map((part) => framing.decode(Buffer.from(part)).toString()).join('');
  const { isComplete, failure } = framing;
  return { text, isComplete, failure: failure?.code };
}

const body = '5\r\nHello\r\n00a;name="value"\r\n, 12\r\n5678\r\nB \r\n, the world\r\n0\r\n\r\n';
const text = 'Hello, 12\r\n5678, the world';

test.each([1, 2, 3, 5, 7, 1000])('chunks in reads of %d bytes are joined', (size) => {
  const parts = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  expect(decodeAll(new ChunkedBody(), parts)).toEqual({
    text,
    isComplete: true,
    failure: undefined,
  });
});

test('a size and a last chunk may begin with many zeros', () => {
  const zeros = '0'.repeat(20);
  expect(decodeAll(new ChunkedBody(), [`${zeros}2\r\nHi\r\n${zeros}\r\n\r\n`])).toEqual({
    text: 'Hi',
    isComplete: true,
    failure: undefined,
  });
});

test.each(['2', '02', '2 ', '2;a=b'])('the size %j is read', (size) => {
  expect(decodeAll(new ChunkedBody(), [`${size}\r\nHi\r\n0\r\n\r\n`]).text).toBe('Hi');
});

test('digits of a size may be upper case', () => {
  const [part, end] = ['a'.repeat(26), '\r\n0\r\n\r\n'];
  expect(decodeAll(new ChunkedBody(), [`1A\r\n${part}${end}`]).text).toBe(part);
});

test('bytes after the last chunk are not read', () => {
  expect(decodeAll(new ChunkedBody(), ['1\r\na\r\n0\r\n\r\nstray'])).toMatchObject({
    text: 'a',
    isComplete: true,
  });
});

test.each([
  ['a size that is no number', 'zz\r\n'],
  ['a word that JavaScript reads as no number', 'NaN\r\n'],
  ['a size with a prefix', '0x1\r\na\r\n'],
  ['an empty size', '\r\n'],
  ['a negative size', '-1\r\n'],
  ['a size of nine digits', '100000000\r\n'],
  ['more bytes than the size', '1\r\nab\r\n'],
  ['a size without an end', '1'.repeat(17_000)],
])('%s is a failure after the text before it', (_name, rest) => {
  expect(decodeAll(new ChunkedBody(), [`2\r\nHi\r\n${rest}`])).toMatchObject({
    isComplete: false,
    failure: 'HPE_INVALID_CHUNK_SIZE',
  });
  expect(decodeAll(new ChunkedBody(), [`2\r\nHi\r\n${rest}`]).text).toMatch(/^Hia?$/);
});

test('a chunk that is cut is not complete', () => {
  expect(decodeAll(new ChunkedBody(), ['5\r\nHe'])).toEqual({
    text: 'He',
    isComplete: false,
    failure: undefined,
  });
});

test('a counted body ends with its last byte', () => {
  expect(decodeAll(countedBody(5), ['He', 'llo', 'stray'])).toMatchObject({
    text: 'Hello',
    isComplete: true,
  });
  expect(decodeAll(countedBody(5), ['Hell'])).toMatchObject({ text: 'Hell', isComplete: false });
  expect(decodeAll(countedBody(0), [''])).toMatchObject({ isComplete: true });
});
