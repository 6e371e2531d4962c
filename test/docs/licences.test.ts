import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bundledPackages, licencesMarkdown } from '../../scripts/licences/bundled-packages.ts';

const packages = bundledPackages();

/** Licences that allow redistribution in a bundle under MIT, together with their text. */
const compatible = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0']);

test('THIRD-PARTY-LICENSES.md lists the packages in the bundle; npm run licences updates it', () => {
  expect(readFileSync('THIRD-PARTY-LICENSES.md', 'utf8')).toBe(licencesMarkdown(packages));
});

test('well-known packages are in the list of bundled packages', () => {
  const names = packages.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['commander', 'conf', 'eventsource-parser', 'ink', 'marked', 'react']),
  );
});

test.each(packages)('$name may be redistributed under $license', ({ license, licenseText }) => {
  expect(compatible).toContain(license);
  expect(licenseText).not.toBe('');
});
