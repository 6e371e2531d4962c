import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const chunks = readdirSync('dist').filter((name) => name.endsWith('.js'));
const textOf = (name: string) => readFileSync(join('dist', name), 'utf8');

/** Bytes that every run, and every prompt, has to read. */
test.each([
  ['cli.js', 240_000],
  ['prompt.js', 220_000],
])('%s stays small', (name, most) => {
  expect(statSync(join('dist', name)).size).toBeLessThan(most);
});

test('the published files refer to no source map', () => {
  expect(chunks.some((name) => existsSync(join('dist', `${name}.map`)))).toBe(true);
  expect(chunks.filter((name) => textOf(name).includes('sourceMappingURL='))).toEqual([]);
});

test('only a hostile reply of the sandbox clears the screen or the lines above it', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' });
  const clearing = sources.filter(
    (path) =>
      /\.tsx?$/.test(path) &&
      path !== join('sandbox', 'replies', 'replies.ts') &&
      /\[[23]J/.test(readFileSync(join('src', path), 'utf8')),
  );
  expect(clearing).toEqual([]);
});
