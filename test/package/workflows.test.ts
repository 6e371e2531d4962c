import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = '.github/workflows';
const workflows = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(join(folder, name), 'utf8'),
}));
const release = readFileSync(join(folder, 'release.yml'), 'utf8');

/** The steps of all jobs, each as its text. */
const stepsOf = (text: string) => text.split(/^ {6}- /m).slice(1);

/** The commands of single-line steps, in their order. */
const commandsOf = (text: string) =>
  [...text.matchAll(/^ +(?:- )?run: (?<command>[^|\n]+)$/gm)].map(
    ({ groups }) => groups?.['command'] ?? '',
  );

test.each(workflows)('$name pins every action to a commit, with its version', ({ text }) => {
  const actions = [...text.matchAll(/uses: (?<action>.+)$/gm)];
  const names = actions.map(({ groups }) => groups?.['action'] ?? '');
  expect(names.length).toBeGreaterThan(0);
  const pinned = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
  expect(names.filter((name) => !pinned.test(name))).toEqual([]);
});

test.each(workflows)('$name leaves no credentials in a checkout', ({ text }) => {
  const checkouts = stepsOf(text).filter((step) => step.includes('actions/checkout@'));
  expect(checkouts.length).toBeGreaterThan(0);
  expect(checkouts.filter((step) => !step.includes('persist-credentials: false'))).toEqual([]);
});

test.each(workflows)('$name grants permissions explicitly', ({ text }) => {
  expect(text).toMatch(/^permissions:(?: \{\}|\n {2}contents: read\n)/m);
});

test('a job of the release that runs code of the repository may write nothing', () => {
  const jobs = release.split(/^ {2}(?=[\w-]+:\n {4}name:)/m).slice(1);
  const writing = jobs.filter((job) => /: write$/m.test(job));
  expect(writing).toHaveLength(2);
  expect(writing.filter((job) => /checkout|npm (?:ci|run|test)|node scripts/.test(job))).toEqual(
    [],
  );
});

test('the release workflow checks the release before all else, and publishes the packed file', () => {
  const commands = commandsOf(release);
  expect(commands[0]).toBe('node scripts/package/release.js check "$GITHUB_REF_NAME"');
  expect(commands.filter((command) => command.includes('npm publish'))).toEqual([
    'npm publish ./release/natter-*.tgz --ignore-scripts --provenance --access public',
  ]);
});
