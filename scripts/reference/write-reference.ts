// `npm run reference` writes docs/reference.md and the man pages from the command tree, docs/messages.md and
// docs/remedies.md from the source, and the tables of docs/repl.md.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { describeProgram } from './command-tree.ts';
import { manPages } from './man-pages.ts';
import { releaseDate } from './release-date.ts';
import { referenceMarkdown } from './markdown.ts';
import { collectMessages } from './messages/collect.ts';
import { messagesMarkdown, remediesMarkdown } from './messages/markdown.ts';
import { readSources } from './messages/syntax.ts';
import { withReplTables } from './repl-tables.ts';

const program = await describeProgram(packageJson.version);
rmSync('man', { recursive: true, force: true });
mkdirSync('man');
writeFileSync('docs/reference.md', referenceMarkdown(program));
writeFileSync('docs/messages.md', messagesMarkdown(collectMessages(readSources())));
writeFileSync('docs/remedies.md', remediesMarkdown());
const date = releaseDate(packageJson.version);
for (const [path, text] of manPages(program, date)) writeFileSync(path, text);
writeFileSync('docs/repl.md', withReplTables(readFileSync('docs/repl.md', 'utf8')));
