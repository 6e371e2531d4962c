import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { licensePlugin } from 'rolldown-license-plugin';

const list = 'node_modules/.cache/natter-licences/packages.json';
const packages = new Map();

/** The text of natter's own licence, for packages under MIT that contain no text. */
function namedText({ name, license }) {
  if (license !== 'MIT') throw new Error(`${name} has no licence text`);
  const { author } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
  const holder = typeof author === 'string' ? author : (author?.name ?? `the authors of ${name}`);
  const own = readFileSync('LICENSE', 'utf8');
  return `Copyright (c) ${holder}\n\n${own.slice(own.indexOf('Permission is hereby'))}`;
}

/** Collects the packages in a bundle, with their licences. */
export function licenseCollection() {
  return licensePlugin({
    done: (bundled) => {
      for (const found of bundled) packages.set(`${found.name}@${found.version}`, found);
    },
  });
}

function section({ name, version, license, licenseText }) {
  const lines = licenseText.trim().split(/\r?\n/);
  const block = lines.map((line) => `    ${line}`.trimEnd()).join('\n');
  return `## ${name} ${version}\n\n${license}\n\n${block}`;
}

/** Writes the packages of all bundles, sorted by name: with their licences for the package, and as JSON. */
export function writeLicences() {
  const sorted = [...packages.values()]
    .map((found) => ({ ...found, licenseText: found.licenseText || namedText(found) }))
    .sort((one, other) => one.name.localeCompare(other.name, 'en'));
  mkdirSync('node_modules/.cache/natter-licences', { recursive: true });
  writeFileSync(list, JSON.stringify(sorted));
  const introduction = "# Third-party licences\n\nThe packages in natter's bundle.";
  const text = [introduction, ...sorted.map(section)].join('\n\n');
  writeFileSync('THIRD-PARTY-LICENSES.md', `${text}\n`);
}

/** The packages in the bundles of the last build, sorted by name. */
export function bundledPackages() {
  return JSON.parse(readFileSync(list, 'utf8'));
}
