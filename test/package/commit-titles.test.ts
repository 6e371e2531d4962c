import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const script = resolve('scripts/check-commits.js');

function git(folder: string, ...words: readonly string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  const { status, stdout, stderr } = spawnSync('git', [...identity, ...words], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return stdout.trim();
}

/** A repository with a commit of each title. @returns its folder, and the id of the first commit */
function repositoryOf(...titles: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'natter-commits-'));
  git(folder, 'init', '--quiet');
  for (const title of titles) git(folder, 'commit', '--quiet', '--allow-empty', '-m', title);
  return { folder, first: git(folder, 'rev-list', '--max-parents=0', 'HEAD') };
}

function check(folder: string, ...words: readonly string[]) {
  const { status, stdout } = spawnSync(process.execPath, [script, ...words], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout };
}

const longest = `batch: ${'x'.repeat(72 - 'batch: '.length)}`;

test('titles of 72 characters pass, and older commits are not checked', () => {
  const { folder, first } = repositoryOf('An old title', 'search, help: report hits once', longest);
  expect(check(folder, first)).toEqual({
    status: 0,
    stdout: '2 commits checked, 0 to reword\n',
  });
});

test.each([
  ['a title of 73 characters', `${longest}x`, '73 characters, at most 72 are allowed'],
  ['a title without an area', 'Repair search', 'must have the form "area: verb object"'],
])('%s fails', (_, title, fault) => {
  const { folder, first } = repositoryOf('the first', title);
  const { status, stdout } = check(folder, first);
  expect(status).toBe(1);
  expect(stdout).toContain(`${title}\n  ${fault}\n`);
});

test('a shallow clone is not checked', () => {
  const { folder, first } = repositoryOf('the first', 'the second', 'the third');
  const clone = mkdtempSync(join(tmpdir(), 'natter-clone-'));
  git(clone, 'clone', '--quiet', '--depth=1', `file://${folder}`, '.');
  expect(check(clone, first)).toMatchObject({ status: 0 });
  expect(check(clone, first).stdout).toMatch(/^commits not checked/);
});

test('a folder without a repository is not checked', () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-no-repository-'));
  expect(check(folder)).toMatchObject({ status: 0 });
});
