import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package of which the bundle holds at least one module. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX, as the package says. */
  readonly licence: string;
  /** Its licence file, or the text of the licence it names; undefined where that is another than MIT. */
  readonly text: string | undefined;
}

interface SourceMap {
  readonly sources: readonly string[];
}

interface PackageDescription {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

/** For packages that name this licence and bring no text of it. */
const mitText = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

/** `../node_modules/ink/build/ink.js` is of `node_modules/ink`. */
const packageFolder = /^(?:\.\.\/)*(?<folder>(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//;

function namedText({ name, license, author }: PackageDescription): string | undefined {
  if (license !== 'MIT') return undefined;
  const holder = typeof author === 'string' ? author : (author?.name ?? `the authors of ${name}`);
  return `Copyright (c) ${holder}\n\n${mitText}`;
}

function readPackage(folder: string): BundledPackage {
  const description = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as PackageDescription;
  const file = readdirSync(folder).find((name) => /^licen[cs]e(?:\.|-|$)/i.test(name));
  return {
    name: description.name,
    version: description.version,
    licence: description.license ?? 'unknown',
    text:
      file === undefined ? namedText(description) : readFileSync(join(folder, file), 'utf8').trim(),
  };
}

/** Every package in the bundle of `distribution`, by its source maps; sorted by name. */
export function bundledPackages(distribution: string): readonly BundledPackage[] {
  const maps = readdirSync(distribution, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.map'),
  );
  const sources = maps.flatMap(
    (name) => (JSON.parse(readFileSync(join(distribution, name), 'utf8')) as SourceMap).sources,
  );
  const folders = new Set(
    sources.flatMap((source) => packageFolder.exec(source)?.groups?.['folder'] ?? []),
  );
  return [...folders]
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map(readPackage)
    .sort((one, other) => one.name.localeCompare(other.name, 'en'));
}

function section({ name, version, licence, text }: BundledPackage): string {
  const block = (text ?? '')
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => `    ${line}`.trimEnd())
    .join('\n');
  return `## ${name} ${version}\n\n${licence}\n\n${block}`;
}

/** `THIRD-PARTY-LICENSES.md`. */
export function licencesMarkdown(packages: readonly BundledPackage[]): string {
  const introduction =
    "Packages that are in natter's bundle, each with its licence. `npm run licences` writes this file from the bundle itself.";
  return `# Third-party licences\n\n${introduction}\n\n${packages.map(section).join('\n\n')}\n`;
}
