// `npm run reference` writes docs/reference.md and the man pages from the program.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { describeProgram } from './command-tree.ts';
import { manPages, releaseDate } from './man-pages.ts';
import { referenceMarkdown } from './markdown.ts';

const program = await describeProgram(packageJson.version);
rmSync('man', { recursive: true, force: true });
mkdirSync('man');
writeFileSync('docs/reference.md', referenceMarkdown(program));
const date = releaseDate(packageJson.version);
for (const [path, text] of manPages(program, date)) writeFileSync(path, text);
