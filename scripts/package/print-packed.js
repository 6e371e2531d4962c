// Packs natter as it is published into a folder (by default one of the clone), and prints the path of the package: `npm run --silent package`.
import { mkdirSync } from 'node:fs';
import { pack } from './pack.js';

const [folder = 'node_modules/.cache/natter-package'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
process.stdout.write(`${pack(folder)}\n`);
