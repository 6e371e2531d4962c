import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openExampleShell } from '../support/example-shell.ts';
import { codeBlock } from '../support/guide-blocks.ts';
import { cleanEnvironment, temporaryHome, writeNatter } from '../support/natter.ts';

const guide = readFileSync('docs/scripts.md', 'utf8');

const shell = await openExampleShell();

test('the steps of the workflow after the installation write a summary', async () => {
  const steps = [...codeBlock('docs/scripts.md', 'jobs:').matchAll(/^ +- run: (?<step>.*)$/gm)].map(
    ([, step = '']) => step,
  );
  expect(steps).toHaveLength(3);
  expect(steps[0]).toMatch(/^npm install --global /);
  const lines = ['set -e', 'export GITHUB_STEP_SUMMARY=summary.md', ...steps.slice(1)];
  const { code, stdout, stderr } = await shell.run([...lines, 'cat summary.md'].join('\n'));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('review this change');
});

test.each([
  ['[sandbox 429 retry-after=0]', 0],
  ['[sandbox 401]', 1],
  ['[sandbox 400]', 1],
])('|| test $? -ge 8: %s ends a step with %i', async (fault, expected) => {
  expect(guide).toContain('`|| test $? -ge 8`');
  expect((await shell.run(`natter --retries 0 "${fault}" || test $? -ge 8`)).code).toBe(expected);
});

/** A repository with the hook, a staged file, and natter on the path. */
function openRepository() {
  const folder = temporaryHome();
  const env = {
    ...cleanEnvironment({ NATTER_BASE_URL: shell.serviceUrl, NATTER_API_KEY: 'sandbox-key' }),
    HOME: folder,
    PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter),
    GIT_EDITOR: 'true',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const git = (...words: readonly string[]) =>
    promisify(execFile)('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
      cwd: folder,
      env,
    });
  execFileSync('git', ['init', '--quiet'], { cwd: folder, env });
  writeNatter(join(folder, 'bin'));
  const shown = codeBlock('docs/scripts.md', '#!/bin/sh');
  const hook = shown.replace('a commit', '[sandbox echo] a commit');
  writeFileSync(join(folder, '.git/hooks/prepare-commit-msg'), hook, { mode: 0o755 });
  writeFileSync(join(folder, 'a.txt'), 'a line\n');
  return git;
}

test('the Git hook writes a title, and keeps one that is given', async () => {
  const git = openRepository();
  await git('add', 'a.txt');
  await git('commit', '--quiet');
  expect((await git('log', '--format=%s')).stdout).toMatch(/^a commit title for this/);
  await git('commit', '--quiet', '--allow-empty', '-m', 'my own title');
  expect((await git('log', '-1', '--format=%s')).stdout).toBe('my own title\n');
});
