import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { listPaths } from '../../src/input/find-files.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { type Files, folderOf } from '../support/folder.ts';

const ignored = '.gitignore';

const repository = (files: Files) => folderOf({ '.git/HEAD': '', ...files });

async function pathsIn(root: string, clock: Clock = createFakeClock(), maxPaths?: number) {
  const { paths, isPartial } = await listPaths(root, clock, maxPaths);
  return { isPartial, paths: paths.map(({ path, isFolder }) => path + (isFolder ? '/' : '')) };
}

test('lists files and folders, the nearest first, without hidden and ignored ones', async () => {
  const excluded = { [ignored]: 'dist/\n*.log\n', 'dist/a.js': '', 'src/b.log': '', '.env': '' };
  const root = repository({ ...excluded, 'src/deep/a.ts': '', 'notes.md': '' });
  const { paths, isPartial } = await pathsIn(root);
  expect(paths.slice(0, 2).sort()).toEqual(['notes.md', 'src/']);
  expect(paths.slice(2)).toEqual(['src/deep/', 'src/deep/a.ts']);
  expect(isPartial).toBe(false);
});

test('applies the rules of the folder above', async () => {
  const root = repository({ [ignored]: '*.log\n', 'src/a.log': '', 'src/a.ts': '' });
  expect((await pathsIn(join(root, 'src'))).paths).toEqual(['a.ts']);
});

test('stops at a number of paths', async () => {
  const root = repository({ a: '', b: '', c: '' });
  const { paths, isPartial } = await pathsIn(root, undefined, 2);
  expect(paths).toHaveLength(2);
  expect(isPartial).toBe(true);
});

test('stops after a time', async () => {
  let now = 0;
  const clock = { ...createFakeClock(), monotonic: () => (now += 1000) };
  expect((await pathsIn(repository({ 'a/b/c/d': '' }), clock)).isPartial).toBe(true);
});

test('leaves out a folder that does not exist', async () => {
  expect(await pathsIn('/no/such/folder')).toEqual({ paths: [], isPartial: false });
});
