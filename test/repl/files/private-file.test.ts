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
import { writePrivateFile } from '../../../src/repl/files/user-files.ts';

const options = { replaces: false, platform: 'linux' } as const;
const folder = () => mkdtempSync(join(tmpdir(), 'natter-private-'));

test('a file is written from pieces', () => {
  const path = join(folder(), 'tea.md');
  expect(writePrivateFile(path, ['green ', 'té'], options)).toEqual({ path, bytes: 9 });
  expect(readFileSync(path, 'utf8')).toBe('green té');
});

test.skipIf(process.platform === 'win32')('only the owner may read a written file', () => {
  const path = join(folder(), 'tea.md');
  writePrivateFile(path, ['green'], options);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a file that exists stays, unless it may be replaced', () => {
  const path = join(folder(), 'tea.md');
  writeFileSync(path, 'old');
  expect(writePrivateFile(path, ['new'], options)).toBeUndefined();
  expect(readFileSync(path, 'utf8')).toBe('old');
  writePrivateFile(path, ['new'], { ...options, replaces: true });
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(readdirSync(join(path, '..'))).toEqual(['tea.md']);
});

test('a replaced link does not change its target', () => {
  const place = folder();
  const target = join(place, 'target');
  writeFileSync(target, 'target');
  symlinkSync(target, join(place, 'tea.md'));
  writePrivateFile(join(place, 'tea.md'), ['new'], { ...options, replaces: true });
  expect(readFileSync(target, 'utf8')).toBe('target');
});

test('an export that fails leaves the old file, and no other', () => {
  const place = folder();
  const path = join(place, 'tea.md');
  writeFileSync(path, 'old');
  const failing = function* pieces() {
    yield 'new';
    throw new Error('broken');
  };
  expect(() => writePrivateFile(path, failing(), { ...options, replaces: true })).toThrow(
    'cannot write',
  );
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(place)).toEqual(['tea.md']);
});

test('a missing folder, and a folder in its place, are named', () => {
  const place = folder();
  expect(() => writePrivateFile(join(place, 'no', 'tea.md'), ['x'], options)).toThrow(
    'its folder does not exist',
  );
  mkdirSync(join(place, 'tea.md'));
  expect(() =>
    writePrivateFile(join(place, 'tea.md'), ['x'], { ...options, replaces: true }),
  ).toThrow('cannot write');
  expect(() => writePrivateFile('CON.md', ['x'], { replaces: false, platform: 'win32' })).toThrow(
    'Windows reserves this name',
  );
});
