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

/** The files whose source map names a path; without Ink's tools for developers, which nothing loads. */
function chunksWith(path: string): readonly string[] {
  const mapped = chunks.filter((name) => existsSync(join('dist', `${name}.map`)));
  return mapped.filter((name) => name !== 'devtools.js' && textOf(`${name}.map`).includes(path));
}

/** The files that a file of `dist` imports statically, itself included. */
function loadedWith(name: string, loaded = new Set<string>()): ReadonlySet<string> {
  if (loaded.has(name)) return loaded;
  loaded.add(name);
  const imported = textOf(name).matchAll(/(?:\bfrom|\bimport) ?["`]\.\/(?<file>[^"`]+)["`]/g);
  for (const { groups } of imported) loadedWith(groups?.['file'] ?? '', loaded);
  return loaded;
}

const slowPackages = [
  'ajv',
  'conf',
  'htmlparser2',
  'ink',
  'marked',
  'undici',
  'yaml',
  'yoga-layout',
];

/** A conversation loads them at its start, so that it survives an update of natter's files. */
const ofConversations = new Set(['ink', 'marked', 'yoga-layout']);

test.each(slowPackages)('%s is in one file, apart from prompts and other commands', (name) => {
  const holding = chunksWith(`/node_modules/${name}/`);
  expect(holding).toHaveLength(1);
  const others = ofConversations.has(name) ? [] : ['repl.js'];
  for (const file of ['main.js', 'prompt.js', 'commands.js', ...others]) {
    expect(loadedWith(file)).not.toContain(holding[0]);
  }
});

test('a prompt loads neither the other commands nor the REPL', () => {
  expect([...loadedWith('main.js'), ...loadedWith('prompt.js')]).toEqual(
    expect.not.arrayContaining(['batch.js', 'commands.js', 'repl.js', 'sandbox.js']),
  );
});

test('no other command loads the REPL', () => {
  for (const file of ['batch.js', 'commands.js', 'sandbox.js']) {
    expect(loadedWith(file)).not.toContain('repl.js');
  }
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
