import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bundledPackages, licencesMarkdown } from '../../scripts/licences/third-party-licences.ts';

const packages = bundledPackages();

/** All of them allow to be passed on in a bundle under MIT, with their text beside it. */
const fitting = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0']);

test('THIRD-PARTY-LICENSES.md is that of the bundle; npm run licences writes it anew', () => {
  expect(readFileSync('THIRD-PARTY-LICENSES.md', 'utf8')).toBe(licencesMarkdown(packages));
});

test('the bundle holds the packages it is known to hold', () => {
  const names = packages.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['commander', 'conf', 'eventsource-parser', 'ink', 'marked', 'react']),
  );
});

test.each(packages)('$name may be passed on under $license', ({ license, licenseText }) => {
  expect(fitting).toContain(license);
  expect(licenseText).not.toBe('');
});
