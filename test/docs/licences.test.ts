import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { LicenseInfo } from 'rolldown-license-plugin';
import { expect, test } from 'vitest';

/** The packages in the bundles of the last build. */
const packages = JSON.parse(
  readFileSync('node_modules/.cache/natter-licences/packages.json', 'utf8'),
) as readonly LicenseInfo[];

/** Licences that allow redistribution in a bundle under MIT, together with their text. */
const compatible = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0']);

test('the build lists the packages in the bundle, with well-known ones, in THIRD-PARTY-LICENSES.md', () => {
  const listed = readFileSync('THIRD-PARTY-LICENSES.md', 'utf8').match(/(?<=^## )\S+/gm);
  expect(listed).toEqual(expect.arrayContaining(packages.map(({ name }) => name)));
  expect(listed).toEqual(
    expect.arrayContaining(['commander', 'conf', 'eventsource-parser', 'ink', 'marked', 'react']),
  );
});

test.each(packages)('$name may be redistributed under $license', ({ license, licenseText }) => {
  expect(compatible).toContain(license);
  expect(licenseText).not.toBe('');
});

test('npm run sbom lists the packages in the bundle as required, and no other packages', () => {
  const text = execFileSync('node', ['scripts/package/sbom.js'], { encoding: 'utf8' });
  const { metadata, components, dependencies } = JSON.parse(text);
  const names = packages.map(({ name, version }) => `${name}@${version}`);
  const listed = components.map((one: LicenseInfo) => `${one.name}@${one.version}`);
  expect(listed).toEqual(names);
  expect(metadata.component.name).toBe('natter');
  const scopes = components.map((one: { scope: string }) => one.scope);
  expect(new Set(scopes)).toEqual(new Set(['required']));
  expect(dependencies[0].dependsOn).toHaveLength(names.length);
  expect(text).not.toContain('package:development');
});
