import { expect, test } from 'vitest';
import { createMaskedStream } from '../../src/secrecy/masked-stream.ts';
import { createSecretFilter } from '../../src/secrecy/secret-filter.ts';
import { fc } from '../support/properties.ts';
import { expectNoSecret, secretForms, secretKey } from '../support/secret.ts';

const filter = createSecretFilter([secretKey, 'cookie-value-9'], 8);

/** The text that each call returns, the last one by `end`. */
function run(pieces: readonly string[]): readonly string[] {
  if (filter === undefined) throw new Error('there are secrets');
  const stream = createMaskedStream(filter);
  return [...pieces.map((piece) => stream.write(piece)), stream.end()];
}

function split(text: string, places: readonly number[]): readonly string[] {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].toSorted(
    (one, other) => one - other,
  );
  return [0, ...ends].map((start, index) => text.slice(start, ends[index] ?? text.length));
}

const jsonEscaped = Array.from(
  secretKey,
  (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
).join('');

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...secretForms, jsonEscaped, 'cookie-value-9', 'nk-4', '%', '\\', 'bmst'),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    ),
    { maxLength: 6 },
  )
  // Asterisks would look like a mark.
  .map((parts) => parts.join('').replaceAll('*', '+'));

test('X2: masks every secret, wherever pieces end, and keeps the rest', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), (whole, places) => {
      const shown = run(split(whole, places)).join('');
      expectNoSecret(shown);
      expect(shown).not.toContain('cookie-value-9');
      // Up to three characters of a secret are shown before it is recognised.
      const masked = filter?.mask(whole) ?? whole;
      const pattern = masked
        .split('***')
        .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
      expect(shown).toMatch(new RegExp(`^${pattern.join('.{0,3}\\*\\*\\*')}$`, 's'));
    }),
    { numRuns: 500 },
  );
});

test('X2: does not delay text without the start of a secret', () => {
  const pieces = ['Hello', ' n', 'nk', ' nk-', ' 100 %', ' a \\', 'bm', ' é'];
  expect(run(pieces)).toEqual([...pieces, '']);
});

test('X2: delays the possible start of a secret, and shows it if no secret follows', () => {
  expect(run(['a nk-4/', 'Zx', '8 b'])).toEqual(['a ', '', 'nk-4/Zx8 b', '']);
  expect(run(['a nk-4/'])).toEqual(['a ', 'nk-4/']);
});

test('X2: masks a secret sent by character, except for its first three', () => {
  expect(run([...secretKey.split(''), '.']).join('')).toBe('nk-***.');
});

test('X2: masks a secret interrupted by a hidden character', () => {
  const interrupted = `bad ${secretKey.slice(0, 12)}\u200B${secretKey.slice(12)} key`;
  const shown = run(Array.from(interrupted)).join('');
  expect(shown.replaceAll('\u200B', '')).not.toContain(secretKey.slice(6));
});
