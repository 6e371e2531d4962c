// Packs natter as it is published, and prints the path of the package: `npm run --silent package`.
import { pack } from './pack.js';

process.stdout.write(`${pack()}\n`);
