import { isAscii } from 'node:buffer';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const chunks = readdirSync('dist').filter((name) => name.endsWith('.cjs'));
const sizeOf = (name: string) => statSync(join('dist', name)).size;

/** Bytes: what every run, every command, every prompt, every answer compiles. */
test.each([
  ['main.cjs', 10_000],
  ['shared.cjs', 23_500],
  ['program.cjs', 65_000],
  ['chat.cjs', 60_000],
  ['answer.cjs', 65_000],
])('%s stays small', (name, most) => {
  expect(sizeOf(name)).toBeLessThan(most);
});

test('no chunk is large but the one that holds Ink', () => {
  const large = chunks.filter((name) => sizeOf(name) > 80_000);
  const isWithoutInk = (name: string) =>
    !readFileSync(join('dist', `${name}.map`), 'utf8').includes('/ink/build/');
  expect(large.filter(isWithoutInk)).toEqual(large.filter((name) => name === 'source.cjs'));
});

test('every chunk is ASCII, which the compile cache takes for granted', () => {
  const foreign = chunks.filter((name) => !isAscii(readFileSync(join('dist', name))));
  expect(foreign).toEqual([]);
});

test('the published chunks name no source map', () => {
  const naming = chunks.filter((name) =>
    readFileSync(join('dist', name), 'utf8').includes('sourceMappingURL='),
  );
  expect(chunks.some((name) => existsSync(join('dist', `${name}.map`)))).toBe(true);
  expect(naming).toEqual([]);
});

test('nothing clears the screen or the lines above it, but a hostile reply of the sandbox', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' });
  const clearing = sources.filter(
    (path) =>
      /\.tsx?$/.test(path) &&
      !path.endsWith('hostile-reply.ts') &&
      /\[[23]J/.test(readFileSync(join('src', path), 'utf8')),
  );
  expect(clearing).toEqual([]);
});

test('no chunk holds a code that clears the screen, but the one with the hostile reply', () => {
  const holding = chunks.filter((name) =>
    /(?:\[|["'`])[23]J/.test(readFileSync(join('dist', name), 'utf8')),
  );
  expect(holding).toEqual(['server.cjs']);
});
