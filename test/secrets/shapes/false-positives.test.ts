import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findSecrets } from '../../../src/secrets/shapes/find-secrets.ts';

const isText = /\.(?:[cm]?[jt]sx?|md|json|ya?ml|sh|txt)$/;

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isText.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** `file: kind`, without the text that was found. */
const findingsIn = (folders: readonly string[]) =>
  folders
    .flatMap(filesBelow)
    .flatMap((file) =>
      findSecrets(readFileSync(file, 'utf8')).map(({ kind }) => `${file}: ${kind}`),
    );

test("nothing in natter's own code and guides counts as a secret", () => {
  expect(findingsIn(['src', 'docs', 'scripts', 'bin', 'man', 'bench'])).toEqual([]);
});

/** They have 22 MB of text; the tests of zod contain JSON Web Tokens. */
const packages = 'commander marked openai postcss react typescript undici vite yaml zod'.split(' ');

test('names of styles in a highlighter are no secrets', () => {
  expect(findingsIn(['node_modules/@codemirror/legacy-modes'])).toEqual([]);
});

test('the text of ten well-known packages has almost no secret', () => {
  const found = findingsIn(packages.map((name) => join('node_modules', name)));
  expect(found.filter((finding) => !finding.endsWith('JSON Web Token'))).toEqual([]);
  expect(found.length).toBeLessThan(5);
});
