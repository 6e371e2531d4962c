// `release.js check v1.2.3` (`npm run release:check -- v1.2.3`) refuses a release that is not ready: it checks
// package.json and CHANGELOG.md of the current folder for this tag. `release.js notes` prints the changelog section of
// the version in package.json. Neither needs installed packages, so that the release workflow can check first.
import { readFileSync } from 'node:fs';

const description = JSON.parse(readFileSync('package.json', 'utf8'));
const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;

/** The sections of the changelog: each `##` heading, and the text below it. */
function changelogSections() {
  const changelog = readFileSync('CHANGELOG.md', 'utf8').replaceAll('\r\n', '\n');
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading, ...lines] = section.split('\n');
      return { heading: heading.trim(), text: lines.join('\n').trim() };
    });
}

const sections = changelogSections();
const section = sections.find(({ heading }) => heading.split(' ')[0] === description.version);
const missingSection = `CHANGELOG.md has no section "## ${description.version}"`;

const isWebAddress = (value) => /^https:\/\/[\w-]+(?:\.[\w-]+)+(?:[/?#]\S*)?$/.test(value);
const isRepository = (value) => /^git\+https:\/\/[\w-]+(?:\.[\w-]+)+\/\S+\.git$/.test(value);

/** The string or the `field` of an object; empty if it is missing. */
const textOf = (value, field) => String((typeof value === 'string' ? value : value?.[field]) ?? '');

/** What package.json lacks until natter has a public address. */
function fieldProblems() {
  const { homepage, bugs, author } = description;
  const url = textOf(description.repository, 'url');
  const fields = [
    [isRepository(url), '"repository", as git+https://host/owner/natter.git'],
    [isWebAddress(textOf(homepage)), '"homepage", an https address'],
    [isWebAddress(textOf(bugs, 'url')), '"bugs", an https address'],
    [textOf(author, 'name').trim() !== '', '"author", a name'],
  ];
  const problems = fields
    .filter(([isPresent]) => !isPresent)
    .map(([, field]) => `package.json needs ${field}`);
  // npm accepts provenance only from the repository that package.json names.
  if (repository !== undefined && isRepository(url) && url !== `git+${server}/${repository}.git`) {
    problems.push(
      `"repository" in package.json is ${url}, but the release runs in ${server}/${repository}`,
    );
  }
  return problems;
}

const hasEntries = ({ text }) => /^- /m.test(text);

function changelogProblems() {
  if (section === undefined) return [missingSection];
  const { version } = description;
  const title = `"## ${section.heading}" in CHANGELOG.md`;
  const problems = [];
  if (!/ - 20\d\d-[01]\d-[0-3]\d$/.test(section.heading)) {
    problems.push(`${title} needs its date: "## ${version} - 2026-01-31"`);
  }
  if (!hasEntries(section)) problems.push(`${title} has no entries`);
  if (sections.some((other) => other.heading === 'Unreleased' && hasEntries(other))) {
    problems.push(`"## Unreleased" in CHANGELOG.md has entries that belong in "## ${version}"`);
  }
  return problems;
}

function check(tag = `v${description.version}`) {
  const problems = [...fieldProblems(), ...changelogProblems()];
  if (tag !== `v${description.version}`) {
    problems.unshift(
      `the tag is ${tag}, but the version in package.json is ${description.version}`,
    );
  }
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  if (problems.length === 0) process.stdout.write(`${tag} is ready for release\n`);
  else process.exitCode = 1;
}

/** In the release workflow, links to files lead to the repository at the tag: a release page has no files beside it. */
function printNotes() {
  if (section === undefined) throw new Error(missingSection);
  const place = `${server}/${repository}/blob/v${description.version}/`;
  const files = repository === undefined ? '' : place;
  process.stdout.write(`${section.text.replaceAll(/(?<=\]\()(?![a-z]+:|#)/g, files)}\n`);
}

const [action, tag] = process.argv.slice(2);
if (action === 'notes') printNotes();
else check(tag);
