import { describe, expect, test } from 'vitest';
import { droppedPaths } from '../../../src/repl/files/dropped-files.ts';
import { matchPaths } from '../../../src/repl/files/user-files.ts';

const listedPaths = [
  'README.md',
  'docs/',
  'docs/notes.md',
  'src/',
  'src/main.ts',
  'src/repl/',
  'src/repl/notes-view.ts',
  'test/main.test.ts',
].map((path) => ({ path: path.replace(/\/$/, ''), isFolder: path.endsWith('/') }));

const matching = (typed: string) =>
  matchPaths(listedPaths, typed).map(
    ({ value, isFolder }) => `${value}${isFolder === true ? '/' : ''}`,
  );

test.each([
  ['', ['docs/', 'README.md', 'src/']],
  ['src/', ['src/main.ts', 'src/repl/', 'src/repl/notes-view.ts']],
  ['main', ['src/main.ts', 'test/main.test.ts']],
  ['MAIN', ['src/main.ts', 'test/main.test.ts']],
  ['notes', ['docs/notes.md', 'src/repl/notes-view.ts']],
  ['view', ['src/repl/notes-view.ts']],
  ['rd', ['README.md']],
  ['smt', ['src/main.ts', 'test/main.test.ts']],
  ['repl/n', ['src/repl/notes-view.ts']],
  ['nothing', []],
])('%j finds the best and nearest paths first', (typed, found) => {
  expect(matching(typed)).toEqual(found);
});

test('returns at most 50', () => {
  const many = Array.from({ length: 60 }, (_, index) => ({ path: `a${index}`, isFolder: false }));
  expect(matchPaths(many, 'a')).toHaveLength(50);
});

describe('dropped files are recognised as', () => {
  test.each([
    ['a path', '/tmp/a.md', ['/tmp/a.md']],
    ['a path with a blank after it', '/tmp/a.md ', ['/tmp/a.md']],
    ['escaped paths', String.raw`/tmp/my\ notes.md /tmp/b.md`, ['/tmp/my notes.md', '/tmp/b.md']],
    ['paths in quotes', `'/tmp/my notes.md' "/tmp/b c.md"`, ['/tmp/my notes.md', '/tmp/b c.md']],
    ['a quoted apostrophe', String.raw`'/tmp/it'\''s.md'`, ["/tmp/it's.md"]],
    ['an escape in double quotes', String.raw`"/tmp/a\"b.md"`, ['/tmp/a"b.md']],
    ['a path in the home folder', '~/a.md', ['~/a.md']],
    ['paths on lines', '/tmp/a.md\n/tmp/b.md\n', ['/tmp/a.md', '/tmp/b.md']],
    ['a Windows path in quotes', String.raw`"C:\Users\a b\n.md"`, [String.raw`C:\Users\a b\n.md`]],
    ['Windows paths', String.raw`C:\Users\a.md D:/b.md`, [String.raw`C:\Users\a.md`, 'D:/b.md']],
  ])('%s', (_what, text, paths) => {
    expect(droppedPaths(text)[0]).toEqual(paths);
  });

  test.runIf(process.platform !== 'win32')('URLs', () => {
    const text = 'file:///tmp/my%20notes.md\r\nfile://localhost/tmp/b.md';
    expect(droppedPaths(text)[0]).toEqual(['/tmp/my notes.md', '/tmp/b.md']);
  });

  test.each([
    ['an unescaped path with a space', '/tmp/my notes.md'],
    ['an unescaped path with an apostrophe', "/tmp/it's.md"],
  ])('%s', (_what, text) => {
    expect(droppedPaths(text)).toEqual([[text]]);
  });
});

test.each([
  ['a relative path', 'notes.md'],
  ['a sentence', 'see /tmp/a.md'],
  ['a path and a word', '/tmp/a.md is it'],
  ['an address', 'https://example.com/a'],
  ['a file of a different machine', 'file://server/a.md'],
  ['a malformed URL', 'file:///%zz'],
  ['a network share', String.raw`\\server\share\a.md`],
  ['a comment', '// a comment'],
  ['nothing', ' '],
])('%s is text', (_what, text) => {
  expect(
    droppedPaths(text)
      .flat()
      .filter((path) => !path.includes(' is it')),
  ).toEqual([]);
});
