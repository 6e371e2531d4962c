import fs, { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { replaceWithTexts } from '../../src/batch/results/write-results.ts';
import { makePrivateFolder, renameFile, replaceFile } from '../../src/storage/files.ts';
import { storageFailure } from '../../src/storage/storage-failure.ts';
import { folderOf } from '../support/folder.ts';
import { expandName, refuseReservedName } from '../../src/storage/file-name.ts';
import { createLineSplitter, readLines } from '../../src/storage/read-lines.ts';

let folder: string;
beforeEach(() => {
  folder = folderOf();
});

/** Windows has no file modes: folders in a user's profile are private. */
const hasMode = (path: string, mode: number) =>
  process.platform === 'win32' || (statSync(path).mode & 0o777) === mode;

describe('a private folder', () => {
  test('K3 is created with its parents, accessible only to their owner', () => {
    const deep = join(folder, 'one', 'two', 'three');
    makePrivateFolder(deep);
    expect([hasMode(deep, 0o700), hasMode(join(deep, '..'), 0o700)]).toEqual([true, true]);
    expect(() => makePrivateFolder(deep)).not.toThrow();
  });

  test('D11 cannot be a file', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => makePrivateFolder(file)).toThrow(/EEXIST/);
    expect(() => makePrivateFolder(join(file, 'below'))).toThrow(/ENOTDIR|ENOENT/);
  });

  // /proc exists only on Linux, where no account can create folders in it.
  test.runIf(existsSync('/proc/self'))('D10 fails in a folder that accepts no folders', () => {
    expect(() => makePrivateFolder('/proc/natter/data')).toThrow(/ENOENT/);
  });
});

describe('a temporary file', () => {
  const valuable = 'important notes';

  test('X1: does not follow a link with its predictable name', async () => {
    for (const name of ['results.jsonl.draft', 'draft.json.new']) {
      writeFileSync(join(folder, 'valuable'), valuable);
      symlinkSync(join(folder, 'valuable'), join(folder, name));
    }
    await replaceWithTexts(join(folder, 'results.jsonl'), ['a\n']);
    replaceFile(join(folder, 'draft.json'), 'half a thought');
    expect(readFileSync(join(folder, 'valuable'), 'utf8')).toBe(valuable);
    expect(readFileSync(join(folder, 'results.jsonl'), 'utf8')).toBe('a\n');
    expect(readFileSync(join(folder, 'draft.json'), 'utf8')).toBe('half a thought');
  });

  test('that a crash left is replaced, readable only by its owner', () => {
    writeFileSync(join(folder, 'draft.json.new'), 'older and longer than this', { mode: 0o644 });
    replaceFile(join(folder, 'draft.json'), 'new');
    expect(readFileSync(join(folder, 'draft.json'), 'utf8')).toBe('new');
    expect(hasMode(join(folder, 'draft.json'), 0o600)).toBe(true);
  });
});

describe('Y24: a file that another program has open', () => {
  /** Renaming that fails so many times with a code of the system. */
  function failing(times: number, code: string) {
    let calls = 0;
    return vi.spyOn(fs, 'renameSync').mockImplementation(() => {
      calls += 1;
      if (calls <= times) throw Object.assign(new Error(code), { code });
    });
  }

  afterEach(() => vi.restoreAllMocks());

  test.each(['EBUSY', 'EPERM', 'EACCES'])('is renamed again after %s', (code) => {
    const rename = failing(1, code);
    renameFile('a', 'b');
    expect(rename.mock.calls).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  test('and stays open is a failure, and the only reason to rename again', () => {
    failing(Infinity, 'EBUSY');
    expect(() => renameFile('a', 'b')).toThrow('EBUSY');
    const rename = failing(1, 'ENOSPC');
    rename.mockClear();
    expect(() => renameFile('a', 'b')).toThrow('ENOSPC');
    expect(rename).toHaveBeenCalledTimes(1);
  });

  test('has a hint, unless permissions are missing', () => {
    const hintOf = (code: string) =>
      storageFailure('write', 'a.json', Object.assign(new Error(code), { code })).hint;
    const check = 'check the path and its permissions';
    expect(hintOf('EACCES')).toBe(check);
    for (const code of ['EPERM', 'EBUSY']) {
      expect(hintOf(code)).toBe(`close other programs that use it, or ${check}`);
    }
  });
});

const named = folderOf();
for (const name of ['p-2.jsonl', 'p-1.jsonl', 'p-10.jsonl', 'q(1).jsonl', '.p-3.jsonl'])
  writeFileSync(join(named, name), '');

test.each([
  ['p-*.jsonl', ['p-1.jsonl', 'p-10.jsonl', 'p-2.jsonl']],
  ['p-?.jsonl', ['p-1.jsonl', 'p-2.jsonl']],
  ['*(1).jsonl', ['q(1).jsonl']],
  ['.p*', ['.p-3.jsonl']],
  ['r-*.jsonl', []],
  ['r-1.jsonl', ['r-1.jsonl']],
])('Y24: %s matches %j', (name, expected) => {
  expect(expandName(join(named, name))).toEqual(expected.map((file) => join(named, file)));
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
  expect(() => refuseReservedName(name, 'win32')).toThrow('is a device name on Windows');
  expect(() => refuseReservedName(name, 'linux')).not.toThrow();
});

test.each(['console.md', String.raw`con\answer.md`, 'com10.md', 'NUL', 'answer con.md'])(
  '%s is an ordinary file name',
  (name) => expect(() => refuseReservedName(name, 'win32')).not.toThrow(),
);

const lines = Array.from({ length: 20_000 }, (_, index) => `${index} ${'é'.repeat(40)}`);

function fileOf(text: string): string {
  const file = join(folderOf(), 'lines');
  writeFileSync(file, text);
  return file;
}

test.each([
  ['with a line end at the end', `${lines.join('\n')}\n`, lines],
  ['without a line end at the end', lines.join('\n'), lines],
  ['without a byte', '', []],
])('reads the lines of a file %s', (_name, text, expected) => {
  expect([...readLines(fileOf(text))]).toEqual(expected);
});

test.skipIf(process.platform === 'win32')('X25: reads a pipe in blocks, like a file', async () => {
  const pipe = join(folderOf(), 'pipe');
  spawnSync('mkfifo', [pipe]);
  const writer = spawn('sh', ['-c', 'cat "$0" > "$1"', fileOf(lines.join('\n')), pipe]);
  const reads = vi.spyOn(fs, 'readSync');
  expect([...readLines(pipe)]).toEqual(lines);
  await once(writer, 'close');
  expect(reads.mock.calls.length).toBeLessThan(lines.length / 4);
});

/** The lines of chunks, with a limit of 3 bytes; undefined for a longer one. */
function split(...chunks: readonly string[]): (string | undefined)[] {
  const splitter = createLineSplitter(3);
  const whole = chunks.flatMap((chunk) => splitter.add(Buffer.from(chunk)));
  return [...whole, ...splitter.end()].map((line) => line?.toString());
}

test.each([
  ['abc\nd\n', ['abc', 'd']],
  ['abcd\ne\n', [undefined, 'e']],
  ['ab|c\nd|', ['abc', 'd']],
  ['ab|cd|e\nf', [undefined, 'f']],
  ['abcd', [undefined]],
  ['\n\n', ['', '']],
])('splits %j into %j', (chunks, expected) => {
  expect(split(...chunks.split('|'))).toEqual(expected);
});
