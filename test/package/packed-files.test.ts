import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { folderOf } from '../support/folder.ts';
import { deadLinks, linksOf } from '../support/document-links.ts';

let tarball: string;
let folder: string;
let paths: readonly string[];
const temporary = folderOf();
beforeAll(() => {
  const script = 'scripts/package/print-packed.js';
  const env = { ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary };
  tarball = execFileSync(process.execPath, [script, join(temporary, 'packed')], {
    encoding: 'utf8',
    env,
  }).trim();
  folder = folderOf();
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components', '1']);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
}, 240_000);

const textOf = (path: string) => readFileSync(join(folder, path), 'utf8');
const documents = () => paths.filter((path) => path.endsWith('.md'));

test('every link of a packed document leads to a packed file and heading', () => {
  expect(documents().flatMap((document) => linksOf(folder, document)).length).toBeGreaterThan(20);
  expect(documents().flatMap((document) => deadLinks(folder, document))).toEqual([]);
});

test('a link to a document that is not packed is text', () => {
  expect(readFileSync('README.md', 'utf8')).toContain('[ARCHITECTURE.md](ARCHITECTURE.md)');
  expect(textOf('README.md')).toMatch(/(?<!\[)ARCHITECTURE\.md(?!\]|\))/);
});

test('the README, its pictures and the guides are packed', () => {
  const names = readdirSync('docs').filter((name) => /^(?!reference).*\.md$/.test(name));
  const guides = names.map((name) => `docs/${name}`);
  expect(guides.length).toBeGreaterThan(10);
  expect(paths).toEqual(expect.arrayContaining(['README.md', ...guides]));
  expect(paths.filter((path) => /^docs\/pictures\/.*\.svg$/.test(path)).length).toBeGreaterThan(1);
});

test('packing leaves nothing in the temporary folder', () => {
  expect(dirname(tarball)).toBe(join(temporary, 'packed'));
  expect(readdirSync(temporary).filter((name) => name.startsWith('natter-'))).toEqual([]);
});

test('the package is smaller than 2 MB', () => {
  expect(statSync(tarball).size).toBeLessThan(2_000_000);
});

test('the package contains no sources, tests, scripts or source maps', () => {
  const folders = new Set(
    paths.map((path) => path.split('/')[0] ?? '').filter((name) => !/\./.test(name)),
  );
  expect([...folders].sort()).toEqual(['LICENSE', 'bin', 'dist', 'docs', 'man']);
  expect(paths.filter((path) => /\.(?:map|tsx|jsonl)$|(?<!\.d)\.ts$/.test(path))).toEqual([]);
});

const chunks = readdirSync('dist').filter((name) => name.endsWith('.js'));

/** Bytes that every run, and every prompt, has to read. */
test.each([
  ['cli.js', 240_000],
  ['prompt.js', 220_000],
])('%s stays small', (name, most) => {
  expect(statSync(join('dist', name)).size).toBeLessThan(most);
});

test('the published files refer to no source map', () => {
  expect(chunks.some((name) => existsSync(join('dist', `${name}.map`)))).toBe(true);
  const texts = chunks.map((name) => readFileSync(join('dist', name), 'utf8'));
  expect(texts.filter((text) => text.includes('sourceMappingURL='))).toEqual([]);
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
