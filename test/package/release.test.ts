import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf } from '../support/folder.ts';
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
  const description = JSON.stringify({ ...ready, ...fields });
  const folder = folderOf({ 'package.json': description, 'CHANGELOG.md': text });
  const words = [resolve('scripts/package/release.js'), action, tag ?? 'v1.2.3'];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: folder,
    env: cleanEnvironment(environment),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const host = { GITHUB_SERVER_URL: 'https://git.example.org' };

const check = (release: Release) => run('check', release);

test('a release with its fields, its tag and its changelog section passes', () => {
  expect(check({})).toEqual({ status: 0, stdout: 'v1.2.3 is ready for release\n', stderr: '' });
});

test('an empty Unreleased section is allowed', () => {
  expect(check({ text: changelog('## Unreleased\n', dated) })).toMatchObject({ status: 0 });
});

const withSections = (...sections: readonly string[]) => ({ text: changelog(...sections) });

const repository = 'package.json needs "repository", as git+https://host/owner/natter.git\n';

test.each<[string, Release, string]>([
  ['an unknown repository', { fields: { repository: undefined } }, repository],
  ['a repository that is no address', { fields: { repository: { url: 'TODO' } } }, repository],
  ['no homepage', { fields: { homepage: '' } }, 'needs "homepage", an https address'],
  ['no bugs', { fields: { bugs: { email: 'a@b' } } }, 'needs "bugs", an https address'],
  ['an unknown author', { fields: { author: ' ' } }, 'package.json needs "author", a name\n'],
  ['a tag of a different version', { tag: 'v1.2.4' }, 'the version in package.json is 1.2.3'],
  ['a version without a section', withSections(), 'CHANGELOG.md has no section "## 1.2.3"\n'],
  [
    'a section without its date',
    withSections(dated.replace(' - 2026-02-01', ' (not released yet)')),
    '"## 1.2.3 (not released yet)" in CHANGELOG.md needs its date: "## 1.2.3 - 2026-01-31"\n',
  ],
  [
    'a section without entries',
    withSections('## 1.2.3 - 2026-02-01\n'),
    '2026-02-01" in CHANGELOG.md has no entries',
  ],
  [
    'unreleased entries',
    withSections('## Unreleased\n\n- A late change.\n', dated),
    '"## Unreleased" in CHANGELOG.md has entries that belong in "## 1.2.3"\n',
  ],
  [
    'a workflow of a different repository',
    { environment: { ...host, GITHUB_REPOSITORY: 'else/natter' } },
    `"repository" in package.json is ${ready.repository.url}, but the release runs in https://git.example.org/else/natter\n`,
  ],
])('%s prevents a release', (_, release, problem) => {
  const stdout = expect.stringContaining(problem) as string;
  expect(check(release)).toEqual({ status: 1, stdout, stderr: '' });
});

const linking = `${dated}- Secrets are masked ([which](SECURITY.md)), as [there](https://example.org).\n`;

test('the notes of a release are its changelog section, with links to the files of its tag', () => {
  const release = withSections('## Unreleased\n', linking);
  expect(run('notes', release).stdout).toBe(linking.slice(linking.indexOf('###')));
  const environment = { ...host, GITHUB_REPOSITORY: 'someone/natter' };
  expect(run('notes', { ...release, environment }).stdout).toContain(
    '([which](https://git.example.org/someone/natter/blob/v1.2.3/SECURITY.md)), as [there](https://example.org).',
  );
});

const workflowFolder = '.github/workflows';

const workflows = readdirSync(workflowFolder).map((name) => ({
  name,
  text: readFileSync(join(workflowFolder, name), 'utf8'),
}));

const releaseWorkflow = readFileSync(join(workflowFolder, 'release.yml'), 'utf8');

const stepsOf = (text: string) => text.split(/^ {6}- /m).slice(1);

/** The commands of single-line steps, in their order. */
const commandsOf = (text: string) =>
  [...text.matchAll(/^ +(?:- )?run: (?<command>[^|\n]+)$/gm)].map(
    ({ groups }) => groups?.['command'] ?? '',
  );

test.each(workflows)('$name pins actions and keeps no credentials', ({ text }) => {
  const actions = [...text.matchAll(/uses: (?<action>.+)$/gm)];
  const names = actions.map(({ groups }) => groups?.['action'] ?? '');
  expect(names.length).toBeGreaterThan(0);
  const pinned = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
  expect(names.filter((name) => !pinned.test(name))).toEqual([]);
  const checkouts = stepsOf(text).filter((step) => step.includes('actions/checkout@'));
  expect(checkouts.length).toBeGreaterThan(0);
  expect(checkouts.filter((step) => !step.includes('persist-credentials: false'))).toEqual([]);
  expect(text).toMatch(/^permissions:(?: \{\}|\n {2}contents: read\n)/m);
});

test('a job of the release that runs code of the repository may write nothing', () => {
  const jobs = releaseWorkflow.split(/^ {2}(?=[\w-]+:\n {4}name:)/m).slice(1);
  const writing = jobs.filter((job) => /: write$/m.test(job));
  expect(writing).toHaveLength(2);
  expect(writing.join('')).not.toMatch(/checkout|npm (?:ci|run|test)|node scripts/);
});

test('the release workflow checks the release before all else, and publishes the packed file', () => {
  const commands = commandsOf(releaseWorkflow);
  expect(commands[0]).toBe('node scripts/package/release.js check "$GITHUB_REF_NAME"');
  expect(commands.filter((command) => command.includes('npm publish'))).toEqual([
    'npm publish ./release/natter-*.tgz --ignore-scripts --provenance --access public',
  ]);
});

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
  const folder = folderOf();
  git(folder, 'init', '--quiet');
  for (const title of titles) git(folder, 'commit', '--quiet', '--allow-empty', '-m', title);
  return { folder, first: git(folder, 'rev-list', '--max-parents=0', 'HEAD') };
}

function checkTitles(folder: string, ...words: readonly string[]) {
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const { status, stdout } = spawnSync(process.execPath, [script, ...words], options);
  return { status, stdout };
}

const longest = `batch: ${'x'.repeat(72 - 'batch: '.length)}`;

test('titles of 72 characters pass, and older commits are not checked', () => {
  const { folder, first } = repositoryOf('An old title', 'search, help: report hits once', longest);
  const stdout = '2 commits checked, 0 to reword\n';
  expect(checkTitles(folder, first)).toEqual({ status: 0, stdout });
});

test.each([
  ['a title of 73 characters', `${longest}x`, '73 characters, at most 72 are allowed'],
  ['a title without an area', 'Repair search', 'must have the form "area: verb object"'],
])('%s fails', (_, title, fault) => {
  const { folder, first } = repositoryOf('the first', title);
  const { status, stdout } = checkTitles(folder, first);
  expect(status).toBe(1);
  expect(stdout).toContain(`${title}\n  ${fault}\n`);
});

test('a shallow clone and a folder without a repository are not checked', () => {
  const { folder, first } = repositoryOf('the first', 'the second', 'the third');
  const clone = folderOf();
  git(clone, 'clone', '--quiet', '--depth=1', `file://${folder}`, '.');
  const notChecked = { status: 0, stdout: expect.stringMatching(/^commits not checked/) as string };
  expect(checkTitles(clone, first)).toEqual(notChecked);
  expect(checkTitles(folderOf())).toEqual(notChecked);
});
