// `npm run reference` writes docs/reference.md and man/natter.1 from the command tree, docs/messages.md from the source,
// and the tables of docs/repl.md.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { describeProgram } from './command-tree.ts';
import { manPage } from './man-page.ts';
import { referenceMarkdown } from './markdown.ts';
import { collectMessages } from './messages/collect.ts';
import { messagesMarkdown } from './messages/markdown.ts';
import { readSources } from './messages/syntax.ts';
import { withReplTables } from './repl-tables.ts';

const program = await describeProgram(packageJson.version);
mkdirSync('man', { recursive: true });
writeFileSync('docs/reference.md', referenceMarkdown(program));
writeFileSync('docs/messages.md', messagesMarkdown(collectMessages(readSources())));
writeFileSync('man/natter.1', manPage(program));
writeFileSync('docs/repl.md', withReplTables(readFileSync('docs/repl.md', 'utf8')));
