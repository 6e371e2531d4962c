// Asks whether a program that imports the package finds its types: part of `npm run package:check`.
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { pack } from './pack.js';

/** How natter/client cannot be found: before `exports`, and by TypeScript's rules for CommonJS on older Nodes. */
const ignored = new Set(['node10', 'node16-cjs']);

const analysis = await checkPackage(createPackageFromTarballData(readFileSync(pack())));
const entries = Object.keys(analysis.entrypoints ?? {});
if (analysis.types === false || !entries.includes('./client')) {
  throw new Error('the package has no types for natter/client');
}
const problems = analysis.problems.filter(({ resolutionKind }) => !ignored.has(resolutionKind));
if (problems.length > 0) throw new Error(JSON.stringify(problems, undefined, 2));
process.stdout.write(`types of ${entries.join(', ')}: no problem\n`);
