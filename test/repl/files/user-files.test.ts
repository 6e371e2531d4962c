import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mentionsOf } from '../../../src/repl/files/attachments.ts';
import { createReplFiles, expandHome, kindOf } from '../../../src/repl/files/user-files.ts';
import { folderOf } from '../../support/folder.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

test.each([
  ['~/notes.md', '/home/ada/notes.md'],
  ['~', '/home/ada'],
  ['~bob/notes.md', '~bob/notes.md'],
  ['notes~', 'notes~'],
])('expands %s to %s', (typed, path) => {
  expect(expandHome(typed, '/home/ada')).toBe(path);
});

const { context } = createMemoryContext();
const files = createReplFiles(context);

test('completes the names in a folder; a missing folder has none', () => {
  const folder = folderOf();
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'a.md'), '');
  symlinkSync('loop', join(folder, 'loop'));
  expect(files.candidates(folder)).toEqual([
    { value: 'a.md', isFolder: false },
    { value: 'loop', isFolder: false },
    { value: 'src', isFolder: true },
  ]);
  expect(files.candidates(join(folder, 'missing'))).toEqual([]);
});

test.each([
  ['that is too long', 'x'.repeat(5000)],
  ['with a NUL', 'a\0b'],
])('a mentioned name %s is not a file', (_, name) => {
  expect(kindOf(name)).toBeUndefined();
});

test.each([
  ['look at @a.md and @src/b.ts', ['a.md', 'src/b.ts']],
  ['@"my notes.md" twice @"my notes.md"', ['my notes.md']],
  ['ada@example.com', []],
])('%s mentions %j', (text, paths) => {
  expect(mentionsOf(text)).toEqual(paths);
});

/** A home folder with `docs/a.md` and `docs/b.txt`. */
function openHome() {
  const home = folderOf();
  mkdirSync(join(home, 'docs'));
  for (const name of ['a.md', 'b.txt']) writeFileSync(join(home, 'docs', name), name);
  return createReplFiles({ ...context, homeDirectory: home });
}

const { signal } = new AbortController();

test.each([
  ['~/docs/a.md', 'file'],
  ['~/docs/', 'folder'],
  ['~/docs/*.md', 'pattern'],
  ['~/docs/{a,b}.md', 'pattern'],
  ['https://example.com/', 'page'],
  ['HTTP://example.com/', 'page'],
  ['~/docs/c.md', undefined],
  ['~/docs/[id].md', undefined],
  ['~/docs/a?', undefined],
])('%s is of the kind %s', (name, kind) => {
  expect(openHome().kindOf(name)).toBe(kind);
});

test('a file keeps the name as typed', async () => {
  const name = '~/docs/a.md';
  expect(await openHome().attach(name, signal)).toEqual({ files: [{ name, content: 'a.md' }] });
});

test.each([
  ['~/docs/', 2],
  ['~/docs/*.md', 1],
])('%s has %d files, and a summary', async (name, number) => {
  const { files: found, summary } = await openHome().attach(name, signal);
  expect(found).toHaveLength(number);
  expect(summary).toMatch(new RegExp(`^attached .*: ${number} files?, ~\\d+ tokens?$`));
});

const write = (path: string, text: string, replaces = false) =>
  files.write(path, text, { isPrivate: true, replaces });

test.skipIf(process.platform === 'win32')('only the owner may read a private file', () => {
  const path = join(folderOf(), 'tea.md');
  write(path, 'green');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  files.write(`${path}.txt`, 'green');
  expect(statSync(`${path}.txt`).mode & 0o777).toBe(0o666 & ~process.umask());
});

test('a file that exists stays, unless it may be replaced', () => {
  const path = join(folderOf(), 'tea.md');
  writeFileSync(path, 'old');
  expect(write(path, 'new')).toBeUndefined();
  expect(readFileSync(path, 'utf8')).toBe('old');
  write(path, 'new', true);
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(readdirSync(join(path, '..'))).toEqual(['tea.md']);
});

test('a replaced link does not change its target', () => {
  const place = folderOf();
  const target = join(place, 'target');
  writeFileSync(target, 'target');
  symlinkSync(target, join(place, 'tea.md'));
  write(join(place, 'tea.md'), 'new', true);
  expect(readFileSync(target, 'utf8')).toBe('target');
});

test('an export that fails leaves no other file', () => {
  const place = folderOf();
  const path = join(place, 'tea.md');
  mkdirSync(path);
  expect(() => write(path, 'new', true)).toThrow('cannot write');
  expect(readdirSync(place)).toEqual(['tea.md']);
});

test('a missing folder is named, and so is a name that Windows reserves', () => {
  expect(() => write(join(folderOf(), 'no', 'tea.md'), 'x')).toThrow('its folder does not exist');
  expect(() => createReplFiles({ ...context, platform: 'win32' }).write('CON.md', 'x')).toThrow(
    'CON.md is a device name on Windows',
  );
});
