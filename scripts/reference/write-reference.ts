// Writes docs/reference.md and man/natter.1 from the command tree, and the tables of docs/repl.md: `npm run reference`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { describeProgram } from './command-tree.ts';
import { manPage } from './man-page.ts';
import { referenceMarkdown } from './markdown.ts';
import { withReplTables } from './repl-tables.ts';

const program = await describeProgram(packageJson.version);
mkdirSync('man', { recursive: true });
writeFileSync('docs/reference.md', referenceMarkdown(program));
writeFileSync('man/natter.1', manPage(program));
writeFileSync('docs/repl.md', withReplTables(readFileSync('docs/repl.md', 'utf8')));
