import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mentionsOf } from '../../../src/repl/reducer/submitting.ts';
import {
  expandHome,
  folderCandidates,
  kindOf,
  writeNewFile,
} from '../../../src/repl/system/user-files.ts';

test.each([
  ['~/notes.md', '/home/ada/notes.md'],
  ['~', '/home/ada'],
  ['~bob/notes.md', '~bob/notes.md'],
  ['notes~', 'notes~'],
])('%s is %s', (typed, path) => {
  expect(expandHome(typed, '/home/ada')).toBe(path);
});

test('a folder proposes its names, folders marked; one that is not there nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-files-'));
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'a.md'), '');
  expect(folderCandidates(folder)).toEqual([
    { value: 'a.md', isFolder: false },
    { value: 'src', isFolder: true },
  ]);
  expect(folderCandidates(join(folder, 'missing'))).toEqual([]);
});

test('a link that leads to itself hides no other name of its folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-files-'));
  symlinkSync('loop', join(folder, 'loop'));
  writeFileSync(join(folder, 'a.md'), '');
  expect(folderCandidates(folder).map(({ value }) => value)).toEqual(['a.md', 'loop']);
});

test.each([
  ['longer than any system takes', 'x'.repeat(5000)],
  ['with a NUL', 'a\0b'],
])('a mentioned name %s is no file', (_, name) => {
  expect(kindOf(name)).toBeUndefined();
});

test('a file is written under the name given and never overwritten', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'natter-files-')), 'x.md');
  expect(writeNewFile(file, 'one', 'linux')).toBe(file);
  expect(() => writeNewFile(file, 'two', 'linux')).toThrow('it already exists');
  expect(readFileSync(file, 'utf8')).toBe('one');
});

test.each([
  ['look at @a.md and @src/b.ts', ['a.md', 'src/b.ts']],
  ['@"my notes.md" twice @"my notes.md"', ['my notes.md']],
  ['ada@example.com', []],
])('%s mentions %j', (text, paths) => {
  expect(mentionsOf(text)).toEqual(paths);
});

test('a name reserved by Windows for a device is refused there', () => {
  expect(() => writeNewFile('con.md', 'lost', 'win32')).toThrow('reserves this name for a device');
});
