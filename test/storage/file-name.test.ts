import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expandName, isReservedName } from '../../src/storage/file-name.ts';
import { folderOf } from '../support/folder.ts';

const folder = folderOf();
for (const name of ['p-2.jsonl', 'p-1.jsonl', 'p-10.jsonl', 'q(1).jsonl', '.p-3.jsonl'])
  writeFileSync(join(folder, name), '');

test.each([
  ['p-*.jsonl', ['p-1.jsonl', 'p-10.jsonl', 'p-2.jsonl']],
  ['p-?.jsonl', ['p-1.jsonl', 'p-2.jsonl']],
  ['*(1).jsonl', ['q(1).jsonl']],
  ['.p*', ['.p-3.jsonl']],
  ['r-*.jsonl', []],
  ['r-1.jsonl', ['r-1.jsonl']],
])('Y24: %s matches %j', (name, expected) => {
  expect(expandName(join(folder, name))).toEqual(expected.map((file) => join(folder, file)));
});

// Windows allows no `*` in the name of a file.
test.skipIf(process.platform === 'win32')(
  'Y24: the name of an existing file is not a pattern',
  () => {
    const file = join(folderOf(), '[x]*');
    writeFileSync(file, '');
    writeFileSync(`${file}y`, '');
    expect(expandName(file)).toEqual([file]);
  },
);

test.each([
  'con.md',
  String.raw`C:\notes\AUX.html`,
  'nul.md',
  'com1.json',
  'LPT9',
  'prn .md',
  'con:x',
])('%s is a device on Windows, and a file on other systems', (name) => {
  expect(isReservedName(name, 'win32')).toBe(true);
  expect(isReservedName(name, 'linux')).toBe(false);
});

test.each(['console.md', String.raw`con\answer.md`, 'com10.md', 'NUL', 'answer con.md'])(
  '%s is an ordinary file name',
  (name) => expect(isReservedName(name, 'win32')).toBe(false),
);
