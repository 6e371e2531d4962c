import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { cleanEnvironment } from '../support/natter.ts';

const ready = {
  name: 'natter',
  version: '1.2.3',
  repository: { type: 'git', url: 'git+https://git.example.org/someone/natter.git' },
  homepage: 'https://git.example.org/someone/natter#readme',
  bugs: { url: 'https://git.example.org/someone/natter/issues' },
  author: 'Someone',
};
const changelog = (...sections: readonly string[]) =>
  ['# Changelog\n', ...sections, '## 1.2.2 - 2026-01-01\n', '- An old change.\n'].join('\n');
const dated = '## 1.2.3 - 2026-02-01\n\n### Added\n\n- A feature.\n';

interface Release {
  readonly fields?: object;
  readonly text?: string;
  readonly tag?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs the script in a folder with this package.json and changelog. */
function run(action: string, { fields = {}, text = changelog(dated), tag, environment }: Release) {
  const folder = mkdtempSync(join(tmpdir(), 'natter-release-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...ready, ...fields }));
  writeFileSync(join(folder, 'CHANGELOG.md'), text);
  const words = [resolve('scripts/package/release.js'), action, tag ?? 'v1.2.3'];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: folder,
    env: cleanEnvironment(environment),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const check = (release: Release) => run('check', release);

test('a release with its fields, its tag and its changelog section passes', () => {
  expect(check({})).toEqual({ status: 0, stdout: 'v1.2.3 is ready for release\n', stderr: '' });
});

test('an empty Unreleased section is allowed', () => {
  expect(check({ text: changelog('## Unreleased\n', dated) })).toMatchObject({ status: 0 });
});

const text = (...sections: readonly string[]) => ({ text: changelog(...sections) });
test.each<[string, Release, string]>([
  [
    'an unknown repository',
    { fields: { repository: undefined } },
    'package.json needs "repository", as git+https://host/owner/natter.git\n',
  ],
  [
    'a repository that is not an address',
    { fields: { repository: { url: 'TODO' } } },
    'package.json needs "repository", as git+https://host/owner/natter.git\n',
  ],
  [
    'an unknown homepage',
    { fields: { homepage: '' } },
    'package.json needs "homepage", an https address\n',
  ],
  [
    'unknown bugs',
    { fields: { bugs: { email: 'a@b' } } },
    'package.json needs "bugs", an https address\n',
  ],
  ['an unknown author', { fields: { author: ' ' } }, 'package.json needs "author", a name\n'],
  [
    'a tag of a different version',
    { tag: 'v1.2.4' },
    'the tag is v1.2.4, but the version in package.json is 1.2.3\n',
  ],
  ['a version without a section', text(), 'CHANGELOG.md has no section "## 1.2.3"\n'],
  [
    'a section without its date',
    text(dated.replace(' - 2026-02-01', ' (not released yet)')),
    '"## 1.2.3 (not released yet)" in CHANGELOG.md needs its date: "## 1.2.3 - 2026-01-31"\n',
  ],
  [
    'a section without entries',
    text('## 1.2.3 - 2026-02-01\n'),
    '"## 1.2.3 - 2026-02-01" in CHANGELOG.md has no entries\n',
  ],
  [
    'unreleased entries',
    text('## Unreleased\n\n- A late change.\n', dated),
    '"## Unreleased" in CHANGELOG.md has entries that belong in "## 1.2.3"\n',
  ],
  [
    'a workflow of a different repository',
    {
      environment: {
        GITHUB_SERVER_URL: 'https://git.example.org',
        GITHUB_REPOSITORY: 'else/natter',
      },
    },
    `"repository" in package.json is ${ready.repository.url}, but the release runs in https://git.example.org/else/natter\n`,
  ],
])('%s prevents a release', (_, release, problem) => {
  expect(check(release)).toEqual({ status: 1, stdout: problem, stderr: '' });
});

const linking = `${dated}- Secrets are masked ([which](SECURITY.md)), as [there](https://example.org).\n`;

test('the notes of a release are its changelog section', () => {
  expect(run('notes', text('## Unreleased\n', linking)).stdout).toBe(
    linking.slice(linking.indexOf('###')),
  );
});

test('links in the notes of a release lead to the files of its tag', () => {
  const environment = {
    GITHUB_SERVER_URL: 'https://git.example.org',
    GITHUB_REPOSITORY: 'someone/natter',
  };
  const { stdout } = run('notes', { ...text(linking), environment });
  expect(stdout).toContain(
    '([which](https://git.example.org/someone/natter/blob/v1.2.3/SECURITY.md)), as [there](https://example.org).',
  );
});
