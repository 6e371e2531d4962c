import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mentionsOf } from '../../../src/repl/files/mentioned-files.ts';
import {
  expandHome,
  folderCandidates,
  kindOf,
  writeUserFile,
} from '../../../src/repl/files/user-files.ts';

test.each([
  ['~/notes.md', '/home/ada/notes.md'],
  ['~', '/home/ada'],
  ['~bob/notes.md', '~bob/notes.md'],
  ['notes~', 'notes~'],
])('expands %s to %s', (typed, path) => {
  expect(expandHome(typed, '/home/ada')).toBe(path);
});

test('completes the names in a folder; a missing folder has none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-files-'));
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'a.md'), '');
  expect(folderCandidates(folder)).toEqual([
    { value: 'a.md', isFolder: false },
    { value: 'src', isFolder: true },
  ]);
  expect(folderCandidates(join(folder, 'missing'))).toEqual([]);
});

test('a link to itself does not hide the other names of its folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-files-'));
  symlinkSync('loop', join(folder, 'loop'));
  writeFileSync(join(folder, 'a.md'), '');
  expect(folderCandidates(folder).map(({ value }) => value)).toEqual(['a.md', 'loop']);
});

test.each([
  ['that is too long', 'x'.repeat(5000)],
  ['with a NUL', 'a\0b'],
])('a mentioned name %s is not a file', (_, name) => {
  expect(kindOf(name)).toBeUndefined();
});

test('writes a new file and never overwrites one', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'natter-files-')), 'x.md');
  expect(writeUserFile(file, 'one', 'linux')).toBe(file);
  expect(writeUserFile(file, 'two', 'linux')).toBeUndefined();
  expect(readFileSync(file, 'utf8')).toBe('one');
});

test.each([
  ['look at @a.md and @src/b.ts', ['a.md', 'src/b.ts']],
  ['@"my notes.md" twice @"my notes.md"', ['my notes.md']],
  ['ada@example.com', []],
])('%s mentions %j', (text, paths) => {
  expect(mentionsOf(text)).toEqual(paths);
});
