import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { licensePlugin } from 'rolldown-license-plugin';

const folder = 'node_modules/.cache/natter-licences';
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

/** Writes the packages in all bundles, sorted by name, for `npm run licences` and `npm run sbom`. */
export function writeBundledPackages() {
  const sorted = [...packages.values()]
    .map((found) => ({ ...found, licenseText: found.licenseText || namedText(found) }))
    .sort((one, other) => one.name.localeCompare(other.name, 'en'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/packages.json`, JSON.stringify(sorted));
}
