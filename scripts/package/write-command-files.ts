// Writes the files that natter uses instead of building its command tree: help to dist/help.txt, and
// the data of completion to dist/commands.json. Part of `npm run build`.
import { writeFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { commandNames } from '../../src/commands/program/command-names.ts';
import type { Context } from '../../src/commands/program/context.ts';
import { buildProgram } from '../../src/commands/program/program.ts';
import { completionTree } from './completion-tree.ts';
import { helpFile, helpPages } from './help-pages.ts';

const context = { version: packageJson.version } as Context;
writeFileSync('dist/help.txt', helpFile(await helpPages(context)));
const program = await buildProgram(context, commandNames);
writeFileSync('dist/commands.json', JSON.stringify(completionTree(program)));
