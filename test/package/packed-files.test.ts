import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { beforeAll, expect, test } from 'vitest';

let tarball: string;
let folder: string;
let paths: readonly string[];
const temporary = mkdtempSync(join(tmpdir(), 'natter-temporary-'));
beforeAll(() => {
  const script = 'scripts/package/print-packed.js';
  const env = { ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary };
  tarball = execFileSync(process.execPath, [script, join(temporary, 'packed')], {
    encoding: 'utf8',
    env,
  }).trim();
  folder = mkdtempSync(join(tmpdir(), 'natter-unpacked-'));
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components', '1']);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
}, 240_000);

const textOf = (path: string) => readFileSync(join(folder, path), 'utf8');
const documents = () => paths.filter((path) => path.endsWith('.md'));

/** Markdown without its code blocks and code spans. */
const prose = (text: string) =>
  text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');

/** The targets of links and pictures, without those on other hosts. */
function relativeLinks(text: string): readonly string[] {
  const links = prose(text).matchAll(
    /\]\((?<link>[^\s)]+)\)|\b(?:href|src|srcset)="(?<target>[^"]+)"/g,
  );
  const targets = [...links].map(({ groups }) => groups?.['link'] ?? groups?.['target'] ?? '');
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of the headings, as a code host derives them. */
function anchorsOf(text: string): readonly string[] {
  const headings = text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (?<title>.+)$/gm);
  return [...headings].map(({ groups }) =>
    (groups?.['title'] ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isDead(document: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const linked = path === '' ? document : posix.join(posix.dirname(document), path);
  if (!paths.includes(linked)) return true;
  return anchor !== undefined && !anchorsOf(textOf(linked)).includes(anchor);
}

test('every link of a packed document leads to a packed file and heading', () => {
  const links = documents().flatMap((document) =>
    relativeLinks(textOf(document)).map((target) => ({ document, target })),
  );
  expect(links.length).toBeGreaterThan(20);
  expect(links.filter(({ document, target }) => isDead(document, target))).toEqual([]);
});

test('a link to a document that is not packed is text', () => {
  expect(readFileSync('README.md', 'utf8')).toContain('[ARCHITECTURE.md](ARCHITECTURE.md)');
  expect(textOf('README.md')).toMatch(/(?<!\[)ARCHITECTURE\.md(?!\]|\))/);
});

test('the README, its pictures and the guides are packed', () => {
  const guides = readdirSync('docs').filter(
    (name) => name.endsWith('.md') && name !== 'reference.md',
  );
  expect(guides.length).toBeGreaterThan(10);
  expect(paths).toEqual(
    expect.arrayContaining(['README.md', ...guides.map((name) => `docs/${name}`)]),
  );
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
