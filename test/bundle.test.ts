import { isAscii } from 'node:buffer';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { missingHooks } from '../scripts/bundle/reconciler.js';

const chunks = readdirSync('dist').filter((name) => name.endsWith('.cjs'));
const sizeOf = (name: string) => statSync(join('dist', name)).size;

/** Bytes that every run, command, prompt and answer has to compile. */
test.each([
  ['main.cjs', 16_000],
  ['shared.cjs', 31_000],
  ['program.cjs', 64_000],
  ['chat.cjs', 138_000],
  // What the first frame of a conversation needs besides.
  ['repl.cjs', 39_000],
  ['session.cjs', 92_500],
  ['screen.cjs', 218_000],
])('%s stays small', (name, most) => {
  expect(sizeOf(name)).toBeLessThan(most);
});

function chunksWith(path: string): readonly string[] {
  const mapped = chunks.filter((name) => existsSync(join('dist', `${name}.map`)));
  return mapped.filter((name) => readFileSync(join('dist', `${name}.map`), 'utf8').includes(path));
}

test('only prompts, the session and the chunks with Ink, ajv and undici are large', () => {
  // The first two have limits of their own above.
  const others = chunks.filter((name) => !['chat.cjs', 'session.cjs'].includes(name));
  const large = others.filter((name) => sizeOf(name) > 80_000);
  const known = [...chunksWith('/ink/build/'), 'open-check.cjs', 'undici.cjs'];
  expect(large.sort()).toEqual(known.sort());
});

test('ajv is only in the chunk of --schema', () => {
  expect(chunksWith('/ajv/dist/')).toEqual(['open-check.cjs']);
});

test('only the dialects of SQL that natter highlights are bundled', () => {
  const text = readFileSync(join('dist', 'sql.cjs'), 'utf8');
  expect(text).toContain('sql_variant');
  expect(text).not.toContain('columnfamily');
});

test('the WebAssembly of Yoga is a file, not text', () => {
  expect(isAscii(readFileSync('dist/yoga.wasm'))).toBe(false);
  expect(readFileSync(join('dist', 'screen.cjs'), 'utf8')).not.toMatch(/[\w+/]{5000}/);
});

test('no component calls a hook that the bundle does not contain', () => {
  const folders = ['src/repl', 'node_modules/ink/build'];
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  const texts = files
    .filter((file) => /\.(?:js|tsx?)$/.test(file))
    .map((file) => readFileSync(file, 'utf8'));
  const calls = new RegExp(`\\b(?:${missingHooks.join('|')})\\(`);
  expect(texts.some((text) => /\buseMemo\(/.test(text))).toBe(true);
  expect(texts.filter((text) => calls.test(text))).toEqual([]);
});

test('yaml is in a separate chunk', () => {
  expect(chunksWith('/yaml/browser/')).toEqual(['yaml-mapping.cjs']);
  expect(sizeOf('yaml-mapping.cjs')).toBeLessThan(68_000);
});

test('undici is in a separate chunk, without HTTP/2 and fetch', () => {
  expect(chunksWith('/undici/lib/')).toEqual(['undici.cjs']);
  // A quarter is the parser, compressed (scripts/bundle/undici.js).
  expect(sizeOf('undici.cjs')).toBeLessThan(90_000);
});

test('no other command loads the REPL', () => {
  const loading = chunks.filter((name) =>
    /(?<!=>)require\("\.\/repl\.cjs"\)/.test(readFileSync(join('dist', name), 'utf8')),
  );
  const ofRepl = [
    'compact.cjs',
    'later.cjs',
    'list-effects.cjs',
    'list-port.cjs',
    'run-line-mode.cjs',
    'screen.cjs',
    'session.cjs',
    'vi-keys.cjs',
    'window-watch.cjs',
  ];
  expect(loading).toEqual(ofRepl);
});

test('every chunk is ASCII, as the compile cache requires', () => {
  const foreign = chunks.filter((name) => !isAscii(readFileSync(join('dist', name))));
  expect(foreign).toEqual([]);
});

test('the published chunks refer to no source map', () => {
  const naming = chunks.filter((name) =>
    readFileSync(join('dist', name), 'utf8').includes('sourceMappingURL='),
  );
  expect(chunks.some((name) => existsSync(join('dist', `${name}.map`)))).toBe(true);
  expect(naming).toEqual([]);
});

test('only a hostile reply of the sandbox clears the screen or the lines above it', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' });
  const clearing = sources.filter(
    (path) =>
      /\.tsx?$/.test(path) &&
      !path.endsWith('hostile-reply.ts') &&
      /\[[23]J/.test(readFileSync(join('src', path), 'utf8')),
  );
  expect(clearing).toEqual([]);
});

test('only the chunk with the hostile reply contains a code that clears the screen', () => {
  const holding = chunks.filter((name) =>
    /(?:\[|["'`])[23]J/.test(readFileSync(join('dist', name), 'utf8')),
  );
  expect(holding).toEqual(['server.cjs']);
});
