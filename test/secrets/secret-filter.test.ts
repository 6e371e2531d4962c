import { expect, test } from 'vitest';
import { createMaskedStream, createSecretFilter } from '../../src/secrets/secret-filter.ts';
import { sanitize } from '../../src/terminal/safety/sanitizer.ts';
import { fc } from '../support/properties.ts';
import { expectNoSecret, secretForms, secretKey } from '../support/secret.ts';

/** Masks secrets of four or more characters. */
const mask = (text: string, ...secrets: readonly string[]) =>
  createSecretFilter(secrets, 4)?.mask(text);

const key = 'sk+live/42=="ü~Qx';

test.each([
  ['as it is', key],
  ['URL-encoded', encodeURIComponent(key)],
  ['URL-encoded in lower case', encodeURIComponent(key).toLowerCase().replace('~qx', '~Qx')],
  ['in a query', new URLSearchParams({ key }).toString().slice(4)],
  ['in JSON', JSON.stringify(key).slice(1, -1)],
  ['in JSON with escaped slashes', key.replace('/', String.raw`\/`).replace('"', String.raw`\"`)],
  ['in a URL', new URL(`https://a.example/?key=${key}`).search.slice(5)],
  ['in base64', Buffer.from(key).toString('base64')],
  ['in base64url', Buffer.from(key).toString('base64url')],
])('K8 masks a key %s', (_form, text) => {
  expect(mask(`before ${text} after`, key)).toMatch(/^before \*\*\*=* after$/);
});

test('K9 masks every occurrence of every secret, and the longer of two', () => {
  const text = 'secret, secret-longer, secret';
  expect(mask(text, 'secret', 'secret-longer')).toBe('***, ***, ***');
});

test.each([[[]], [['']], [['abc']]])('there is no filter of %j', (secrets) => {
  expect(createSecretFilter(secrets, 4)).toBeUndefined();
});

test('X2: does not mask a secret shorter than the minimum', () => {
  const text = createSecretFilter(['ollama', 'sk-12345'], 8)?.mask('ollama with sk-12345');
  expect(text).toBe('ollama with ***');
});

test.each([
  ['after an escaped line break', 'nk-secret-key', String.raw`\n`],
  ['of twenty thousand characters', '0123456789'.repeat(2000), ' '],
  ['with the characters of patterns', 'a.c*[x](y)|$', 'abc '],
])('masks a secret %s', (_, secret, before) => {
  expect(mask(`${before}${secret} b`, secret)).toBe(`${before}*** b`);
});

const filter = createSecretFilter([secretKey, 'cookie-value-9'], 8);

/** The text that each call returns, the last one by `end`. */
function run(pieces: readonly string[]): readonly string[] {
  if (filter === undefined) throw new Error('there are secrets');
  const stream = createMaskedStream(filter);
  return [...pieces.map((piece) => stream.write(piece)), stream.end()];
}

function split(text: string, places: readonly number[]): readonly string[] {
  const ends = places.map((place) => place % (text.length + 1)).toSorted((one, two) => one - two);
  return [0, ...ends].map((start, index) => text.slice(start, ends[index] ?? text.length));
}

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...secretForms,
        secretKey.replace('/', String.raw`\/`),
        'cookie-value-9',
        'nk-4',
        '%',
        '\\',
        'bmst',
      ),
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

test('X2: delays the possible start of a secret, and shows its first three characters', () => {
  expect(run(['a nk-4/', 'Zx', '8 b'])).toEqual(['a ', '', 'nk-4/Zx8 b', '']);
  expect(run(['a nk-4/'])).toEqual(['a ', 'nk-4/']);
  expect(run([...secretKey.split(''), '.']).join('')).toBe('nk-***.');
});

/** What a terminal hides, and what the sanitizer removes. */
const hidden = [
  '\u200b',
  '\u2060',
  '\u202e',
  '\u0007',
  '\u007f',
  '\udb40\udc41',
  '\u001b[0m',
  '\u001b[38;5;196m',
  '\u009b1m',
  '\u001b(B',
  '\u001bc',
  '\u001b]0;title\u0007',
  '\u001b]8;;https://a.example\u001b\\',
  '\u001bPq\u001b[1m\u009c',
];

/** Fails if a terminal shows more of the secret than its first characters, and half a hidden character after them. */
function expectMasked(pieces: readonly string[]): void {
  const shown = sanitize(run(pieces).join(''));
  expect(shown).toMatch(/^bad .{0,3}\ufffd?\*\*\* key$/);
}

test.each(hidden)('F3: masks a secret interrupted by %j', (between) => {
  for (let place = 1; place < secretKey.length; place += 1) {
    const whole = `bad ${secretKey.slice(0, place)}${between}${secretKey.slice(place)} key`;
    expect(sanitize(filter?.mask(whole) ?? whole)).toBe('bad *** key');
    for (let cut = 0; cut <= whole.length; cut += 1) {
      expectMasked([whole.slice(0, cut), whole.slice(cut)]);
    }
  }
});

test('F3: masks a secret interrupted at many places, in pieces of any length', () => {
  const place = fc.nat({ max: secretKey.length - 1 });
  const insertion = fc.tuple(place, fc.constantFrom(...hidden));
  fc.assert(
    fc.property(
      fc.array(insertion, { maxLength: 30 }),
      fc.array(fc.nat(), { maxLength: 30 }),
      (insertions, places) => {
        const characters = secretKey.split('');
        for (const [index, between] of insertions) characters[index] += between;
        expectMasked(
          split(`bad ${characters.slice(0, -1).join('')}${secretKey.at(-1)} key`, places),
        );
      },
    ),
    { numRuns: 500 },
  );
});

test('F3: waits for the rest of a secret behind some thousand hidden characters, in linear time', () => {
  const piece = `\u001b]${'x'.repeat(50)}\u0007\u200b`;
  const pieces = (length: number) => [
    `bad ${secretKey.slice(0, 9)}`,
    ...Array.from({ length }, () => piece),
    `${secretKey.slice(9)} key`,
  ];
  expect(run(pieces(60)).join('')).toBe('bad *** key');
  // In quadratic time, this would take minutes.
  expect(run(pieces(20_000)).join('')).toBe(pieces(20_000).join(''));
});

test('F3: keeps hidden characters and sequences without a secret', () => {
  const pieces = ['a\u200b', 'b\u001b[3', '1mc ', 'nk-\u200b4', ' d\u001b]0;', 'nk-4/Z\u0007e'];
  expect(run(pieces).join('')).toBe(pieces.join(''));
});

test('masks a secret within a sequence that a terminal hides', () => {
  const shown = run(['a\u001b]0;', secretKey.slice(0, 9), `${secretKey.slice(9)}\u0007b`]).join('');
  expect(shown).toBe('a\u001b]0;***\u0007b');
});
