import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeUserFile } from '../../../src/repl/files/user-files.ts';

const write = (path: string, text: string, replaces = false) =>
  writeUserFile(path, text, 'linux', { isPrivate: true, replaces });
const folder = () => mkdtempSync(join(tmpdir(), 'natter-private-'));

test.skipIf(process.platform === 'win32')('only the owner may read a written file', () => {
  const path = join(folder(), 'tea.md');
  write(path, 'green');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a file that exists stays, unless it may be replaced', () => {
  const path = join(folder(), 'tea.md');
  writeFileSync(path, 'old');
  expect(write(path, 'new')).toBeUndefined();
  expect(readFileSync(path, 'utf8')).toBe('old');
  write(path, 'new', true);
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(readdirSync(join(path, '..'))).toEqual(['tea.md']);
});

test('a replaced link does not change its target', () => {
  const place = folder();
  const target = join(place, 'target');
  writeFileSync(target, 'target');
  symlinkSync(target, join(place, 'tea.md'));
  write(join(place, 'tea.md'), 'new', true);
  expect(readFileSync(target, 'utf8')).toBe('target');
});

test('an export that fails leaves no other file', () => {
  const place = folder();
  const path = join(place, 'tea.md');
  mkdirSync(path);
  expect(() => write(path, 'new', true)).toThrow('cannot write');
  expect(readdirSync(place)).toEqual(['tea.md']);
});

test('a missing folder is named, and so is a name that Windows reserves', () => {
  expect(() => write(join(folder(), 'no', 'tea.md'), 'x')).toThrow('its folder does not exist');
  expect(() => writeUserFile('CON.md', 'x', 'win32')).toThrow('Windows reserves this name');
});
