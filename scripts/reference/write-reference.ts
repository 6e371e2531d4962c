// `npm run reference` writes docs/reference.md and the man pages from the command tree, and the tables of docs/repl.md.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { describeProgram } from './command-tree.ts';
import { manPages, releaseDate } from './man-pages.ts';
import { referenceMarkdown, withReplTables } from './markdown.ts';

const program = await describeProgram(packageJson.version);
rmSync('man', { recursive: true, force: true });
mkdirSync('man');
writeFileSync('docs/reference.md', referenceMarkdown(program));
const date = releaseDate(packageJson.version);
for (const [path, text] of manPages(program, date)) writeFileSync(path, text);
writeFileSync('docs/repl.md', withReplTables(readFileSync('docs/repl.md', 'utf8')));
