// Prints the changelog section of the version in package.json. In the release workflow, links to files lead to the
// repository at the tag, because a release page has no files beside it.
import { readFileSync } from 'node:fs';
import { changelogSections, versionOf } from './changelog.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const sections = changelogSections(readFileSync('CHANGELOG.md', 'utf8'));
const section = sections.find(({ heading }) => versionOf(heading) === version);
if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}"`);

const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
const files = repository === undefined ? '' : `${server}/${repository}/blob/v${version}/`;
const notes = section.text.replaceAll(/(?<=\]\()(?![a-z]+:|#)/g, files);
process.stdout.write(`${notes}\n`);
