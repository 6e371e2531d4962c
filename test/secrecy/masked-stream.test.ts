import { expect, test } from 'vitest';
import { createMaskedStream } from '../../src/secrecy/masked-stream.ts';
import { createSecretFilter } from '../../src/secrecy/secret-filter.ts';
import { fc } from '../support/properties.ts';
import { expectNoSecret, secretForms, secretKey } from '../support/secret.ts';

const filter = createSecretFilter([secretKey, 'cookie-value-9'], 8);

/** What each piece gives, and in the end what was held back. */
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
  // Asterisks would be taken for a mark.
  .map((parts) => parts.join('').replaceAll('*', '+'));

test('X2: no secret is left, however it is cut, and nothing else is lost', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), (whole, places) => {
      const shown = run(split(whole, places)).join('');
      expectNoSecret(shown);
      expect(shown).not.toContain('cookie-value-9');
      // Up to three characters of a secret are shown before it is known to be one.
      const masked = filter?.mask(whole) ?? whole;
      const pattern = masked
        .split('***')
        .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
      expect(shown).toMatch(new RegExp(`^${pattern.join('.{0,3}\\*\\*\\*')}$`, 's'));
    }),
    { numRuns: 500 },
  );
});

test('X2: a text in which no secret begins is not delayed', () => {
  const pieces = ['Hello', ' n', 'nk', ' nk-', ' 100 %', ' a \\', 'bm', ' é'];
  expect(run(pieces)).toEqual([...pieces, '']);
});

test('X2: the possible beginning of a secret is held back, and shown when it is not a secret', () => {
  expect(run(['a nk-4/', 'Zx', '8 b'])).toEqual(['a ', '', 'nk-4/Zx8 b', '']);
  expect(run(['a nk-4/'])).toEqual(['a ', 'nk-4/']);
});

test('X2: a secret sent a character at a time is masked except for its first characters', () => {
  expect(run([...secretKey.split(''), '.']).join('')).toBe('nk-***.');
});

test('X2: masks a secret interrupted by a hidden character', () => {
  const interrupted = `bad ${secretKey.slice(0, 12)}\u200B${secretKey.slice(12)} key`;
  const shown = run(Array.from(interrupted)).join('');
  expect(shown.replaceAll('\u200B', '')).not.toContain(secretKey.slice(6));
});
