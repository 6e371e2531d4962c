// Prints the packages in the bundle, as CycloneDX: `npm run --silent sbom > natter.cdx.json`.
import { execFileSync } from 'node:child_process';
import { bundledSbom, type Sbom } from './sbom.ts';
import { bundledPackages } from './third-party-licences.ts';

const words = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
const sbom = JSON.parse(execFileSync('npm', words, options)) as Sbom;
const document = bundledSbom(sbom, bundledPackages(), 'natter');
process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
