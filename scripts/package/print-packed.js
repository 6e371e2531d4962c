// Packs natter as it is published into a folder (by default one of the clone), and prints the path of the package: `npm run --silent package`.
import { mkdirSync, rmSync } from 'node:fs';
import { pack } from './pack.js';

const [folder = 'node_modules/.cache/natter-package'] = process.argv.slice(2);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
process.stdout.write(`${pack(folder)}\n`);
