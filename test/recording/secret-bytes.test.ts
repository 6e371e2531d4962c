import { expect, test } from 'vitest';
import { createSecretFilter } from '../../src/secrecy/secret-filter.ts';
import { createSecretBytes } from '../../src/recording/secret-bytes.ts';
import { expectNoSecret, secretForms, secretKey } from '../support/secret.ts';
import { fc } from '../support/properties.ts';

const filter = createSecretFilter([secretKey], 8);
const mask = (text: string) => filter?.mask(text) ?? text;

interface Piece {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** The pieces that each call returns, the last one by `end`. */
function run(pieces: readonly Uint8Array[]): readonly (readonly Piece[])[] {
  const secrets = createSecretBytes<Piece>(mask);
  const taken = pieces.map((bytes, at) => secrets.take({ at, bytes }));
  return [...taken, secrets.end()];
}

/** `bytes` in pieces that end at these places. */
function split(bytes: Buffer, places: readonly number[]): readonly Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort(
    (one, other) => one - other,
  );
  return [0, ...ends].map((start, index) => bytes.subarray(start, ends[index] ?? bytes.length));
}

const text = fc
  .array(fc.oneof(fc.constantFrom(...secretForms, '\n', 'data: '), fc.string({ unit: 'grapheme' })))
  .map((parts) => parts.join(''));

test('masks every secret, wherever pieces end, and keeps the rest', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (whole, places) => {
      const pieces = run(split(Buffer.from(whole), places)).flat();
      const written = Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
      expect(written).toBe(mask(Buffer.from(whole).toString()));
      expectNoSecret(written);
    }),
  );
});

test('keeps the pieces and times of bytes without a secret, valid UTF-8 or not', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 })), (pieces) => {
      expect(run(pieces).flat()).toEqual(pieces.map((bytes, at) => ({ at, bytes })));
    }),
  );
});

test('masks a key among bytes that are not UTF-8, and keeps them', () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0xc3]), Buffer.from(`${secretKey} \n`)]);
  const [piece] = run([bytes]).flat();
  expect(Buffer.from(piece?.bytes ?? [])).toEqual(
    Buffer.concat([Buffer.from([0xff, 0xc3]), Buffer.from('*** \n')]),
  );
});

test('returns a piece that ends a line immediately', () => {
  const [first, second] = run([Buffer.from('data: a\n\n'), Buffer.from('data: b\n\n')]);
  expect(first).toHaveLength(1);
  expect(second).toHaveLength(1);
});

test('delays a piece only as long as a secret can continue after it', () => {
  const counts = run([
    Buffer.from('data: be'),
    Buffer.from('gin\ndata'),
    Buffer.from('x'.repeat(5000)),
    Buffer.from('y'),
  ]).map((ready) => ready.length);
  expect(counts).toEqual([0, 1, 1, 0, 2]);
});
