import { readFileSync } from 'node:fs';
import type { LicenseInfo } from 'rolldown-license-plugin';

/** The packages in the bundles of the last build, sorted by name. */
export function bundledPackages(): readonly LicenseInfo[] {
  const file = 'node_modules/.cache/natter-licences/packages.json';
  return JSON.parse(readFileSync(file, 'utf8')) as LicenseInfo[];
}

function section({ name, version, license, licenseText }: LicenseInfo): string {
  const block = licenseText
    .trim()
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => `    ${line}`.trimEnd())
    .join('\n');
  return `## ${name} ${version}\n\n${license}\n\n${block}`;
}

/** `THIRD-PARTY-LICENSES.md`. */
export function licencesMarkdown(packages: readonly LicenseInfo[]): string {
  const introduction =
    "The packages in natter's bundle, each with its licence. `npm run licences` writes this file from the bundle.";
  return `# Third-party licences\n\n${introduction}\n\n${packages.map(section).join('\n\n')}\n`;
}
