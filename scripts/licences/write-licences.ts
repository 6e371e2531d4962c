// `npm run licences` writes THIRD-PARTY-LICENSES.md from the bundle. `npm run --silent sbom > natter.cdx.json` prints the
// packages in the bundle, as CycloneDX.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { bundledPackages, bundledSbom, licencesMarkdown, type Sbom } from './bundled-packages.ts';

const packages = bundledPackages();
if (process.argv.includes('--sbom')) {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const text = execFileSync('npm', words, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const document = bundledSbom(JSON.parse(text) as Sbom, packages);
  process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
} else writeFileSync('THIRD-PARTY-LICENSES.md', licencesMarkdown(packages));
