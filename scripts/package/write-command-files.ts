// Writes the files that natter uses instead of building its command tree: the help of each command to dist/help, and the
// data of completion to dist/commands.json. Part of `npm run build`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { commandNames } from '../../src/commands/program/command-table.ts';
import type { Context } from '../../src/commands/program/context.ts';
import { buildProgram } from '../../src/commands/program/program.ts';
import { completionTree } from './completion-tree.ts';
import { helpPages } from './help-pages.ts';

const program: Command = await buildProgram(
  { version: packageJson.version } as Context,
  commandNames,
);
const folder = 'dist/help';
mkdirSync(folder, { recursive: true });
for (const [words, text] of helpPages(program)) {
  writeFileSync(join(folder, `${['natter', ...words].join('.')}.txt`), text);
}
writeFileSync('dist/commands.json', JSON.stringify(completionTree(program)));
