import { expect, test } from 'vitest';
import { createMaskedStream } from '../../src/secrecy/masked-stream.ts';
import { createSecretFilter, shortestInText } from '../../src/secrecy/secret-filter.ts';

const secret = 'sk-live-4f9a8b7c6d5e4f3a';

function filter() {
  const created = createSecretFilter([secret], shortestInText);
  if (created === undefined) throw new Error('the secret is too short');
  return created;
}

test.each(['\u200B', '\u001B[31m', '\u202E', '\u0007', '\u2060'])(
  'X2: a secret interrupted by %j is masked, as the sanitizer would make it whole',
  (hidden) => {
    const text = `bad ${secret.slice(0, 12)}${hidden}${secret.slice(12)} key`;
    expect(filter().mask(text)).toBe('bad *** key');
  },
);

test('X2: a secret interrupted by a hidden character is masked in pieces too', () => {
  const stream = createMaskedStream(filter());
  const text = `bad ${secret.slice(0, 12)}\u200B${secret.slice(12)} key`;
  const shown = Array.from(text, (character) => stream.write(character)).join('') + stream.end();
  expect(shown.replaceAll('\u200B', '')).not.toContain(secret.slice(6));
});

test('hidden characters without a secret stay as they are', () => {
  expect(filter().mask('a\u200Bb\u001B[31mc')).toBe('a\u200Bb\u001B[31mc');
});
