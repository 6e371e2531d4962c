import { expect, test } from 'vitest';
import { isReservedName } from '../../src/storage/reserved-name.ts';

test.each([
  'con.md',
  String.raw`C:\notes\AUX.html`,
  'nul.md',
  'com1.json',
  'LPT9',
  'prn .md',
  'con:x',
])('%s is a device on Windows, and a file elsewhere', (name) => {
  expect(isReservedName(name, 'win32')).toBe(true);
  expect(isReservedName(name, 'linux')).toBe(false);
});

test.each(['console.md', String.raw`con\answer.md`, 'com10.md', 'NUL', 'answer con.md'])(
  '%s is a name like any other',
  (name) => expect(isReservedName(name, 'win32')).toBe(false),
);
