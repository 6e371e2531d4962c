import { expect, test } from 'vitest';
import { matchPaths } from '../../../src/repl/files/find-paths.ts';

const paths = [
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
  matchPaths(paths, typed).map(({ value, isFolder }) => `${value}${isFolder === true ? '/' : ''}`);

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
