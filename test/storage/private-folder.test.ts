import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePrivateFolder } from '../../src/storage/files.ts';

const inside = (...names: readonly string[]) =>
  join(mkdtempSync(join(tmpdir(), 'natter-folder-')), ...names);

/** Windows has no file modes: folders in a user's profile are private. */
const isPrivate = (path: string) =>
  process.platform === 'win32' || (statSync(path).mode & 0o777) === 0o700;

test('K3 creates a folder and its parents, accessible only to their owner', () => {
  const folder = inside('one', 'two', 'three');
  makePrivateFolder(folder);
  expect(statSync(folder).isDirectory()).toBe(true);
  expect(isPrivate(folder)).toBe(true);
  expect(isPrivate(join(folder, '..'))).toBe(true);
});

test('does not change an existing folder', () => {
  const folder = inside();
  makePrivateFolder(folder);
  expect(existsSync(folder)).toBe(true);
});

test('D11 throws if the path is a file', () => {
  const file = inside('file');
  writeFileSync(file, '');
  expect(() => makePrivateFolder(file)).toThrow(/EEXIST/);
  expect(() => makePrivateFolder(join(file, 'below'))).toThrow(/ENOTDIR|ENOENT/);
});

// /proc exists only on Linux, where no account can create folders in it.
test.runIf(existsSync('/proc/self'))('D10 fails in a folder that accepts no folders', () => {
  expect(() => makePrivateFolder('/proc/natter/data')).toThrow(/ENOENT/);
});
