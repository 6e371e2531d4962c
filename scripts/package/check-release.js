// Refuses a release that is not ready: `npm run release:check -- v1.2.3` checks package.json and CHANGELOG.md of the
// current folder for this tag. Needs no installed packages, so that the release workflow can run it first.
import { readFileSync } from 'node:fs';
import { changelogSections, entriesOf, versionOf } from './changelog.js';

const isWebAddress = (value) => /^https:\/\/[\w-]+(?:\.[\w-]+)+(?:[/?#]\S*)?$/.test(value);
const isRepository = (value) => /^git\+https:\/\/[\w-]+(?:\.[\w-]+)+\/\S+\.git$/.test(value);

/** The string or the `field` of an object; empty if it is missing. */
const textOf = (value, field) => String((typeof value === 'string' ? value : value?.[field]) ?? '');

/** What package.json lacks until natter has a public address. */
function missingFields({ repository, homepage, bugs, author }) {
  const fields = [
    [isRepository(textOf(repository, 'url')), '"repository", as git+https://host/owner/natter.git'],
    [isWebAddress(textOf(homepage)), '"homepage", an https address'],
    [isWebAddress(textOf(bugs, 'url')), '"bugs", an https address'],
    [textOf(author, 'name').trim() !== '', '"author", a name'],
  ];
  return fields
    .filter(([isPresent]) => !isPresent)
    .map(([, field]) => `package.json needs ${field}`);
}

/** npm accepts provenance only from the repository that package.json names. */
function repositoryProblems(
  { repository },
  { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name },
) {
  const url = textOf(repository, 'url');
  if (name === undefined || !isRepository(url) || url === `git+${server}/${name}.git`) return [];
  return [`"repository" in package.json is ${url}, but the release runs in ${server}/${name}`];
}

function changelogProblems(changelog, version) {
  const sections = changelogSections(changelog);
  const section = sections.find(({ heading }) => versionOf(heading) === version);
  if (section === undefined) return [`CHANGELOG.md has no section "## ${version}"`];
  const problems = [];
  if (!/ - 20\d\d-[01]\d-[0-3]\d$/.test(section.heading)) {
    problems.push(
      `"## ${section.heading}" in CHANGELOG.md needs its date: "## ${version} - 2026-01-31"`,
    );
  }
  if (entriesOf(section).length === 0) {
    problems.push(`"## ${section.heading}" in CHANGELOG.md has no entries`);
  }
  const unreleased = sections.find(({ heading }) => heading === 'Unreleased');
  if (unreleased !== undefined && entriesOf(unreleased).length > 0) {
    problems.push(`"## Unreleased" in CHANGELOG.md has entries that belong in "## ${version}"`);
  }
  return problems;
}

const description = JSON.parse(readFileSync('package.json', 'utf8'));
const changelog = readFileSync('CHANGELOG.md', 'utf8');
const tag = process.argv[2] ?? `v${description.version}`;
const problems = [
  ...(tag === `v${description.version}`
    ? []
    : [`the tag is ${tag}, but the version in package.json is ${description.version}`]),
  ...missingFields(description),
  ...repositoryProblems(description, process.env),
  ...changelogProblems(changelog, description.version),
];
for (const problem of problems) process.stdout.write(`${problem}\n`);
if (problems.length === 0) process.stdout.write(`${tag} is ready for release\n`);
else process.exitCode = 1;
