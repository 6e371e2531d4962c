// Writes THIRD-PARTY-LICENSES.md from the bundle: `npm run licences`.
import { writeFileSync } from 'node:fs';
import { bundledPackages, licencesMarkdown } from './third-party-licences.ts';

writeFileSync('THIRD-PARTY-LICENSES.md', licencesMarkdown(bundledPackages()));
