import { keyBindings, keyLabel, type KeyBinding } from '../../src/repl/composer/keys/key-bindings.ts';
import { usageOf } from '../../src/repl/help.ts';
import { slashCommands } from '../../src/repl/commands.ts';
import { exitCodeRows } from '../../src/commands/help/topics.ts';
import { environmentVariables } from '../../src/settings/environment-variables.ts';
import type { DescribedCommand, DescribedOption, DescribedProgram } from './command-tree.ts';

const item = (term: string, description: string) =>
  description === '' ? `- \`${term}\`` : `- \`${term}\`: ${description.replaceAll('<', '\\<')}`;

const optionItems = (options: readonly DescribedOption[]) =>
  options.map(({ flags, description }) => item(flags, description)).join('\n');

const anchor = (title: string) => title.replaceAll(' ', '-');

function commandSection(command: DescribedCommand): string {
  const parts = [
    `## ${command.name}`,
    command.description,
    `\`\`\`text\n${command.usage}\n\`\`\``,
    command.arguments.map(({ term, description }) => item(term, description)).join('\n'),
    optionItems(command.options),
    command.list === undefined
      ? ''
      : command.list.rows.map((row) => item(row.term, row.description)).join('\n'),
    command.examples.length === 0 ? '' : `\`\`\`sh\n${command.examples.join('\n')}\n\`\`\``,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** `docs/reference.md`. */
export function referenceMarkdown(program: DescribedProgram): string {
  const contents = program.commands.map(({ name }) => `- [${name}](#${anchor(name)})`);
  const exits = exitCodeRows.map((row) => `| ${row.join(' | ')} |`);
  const variables = environmentVariables.map(({ name, summary, default: value }) =>
    item(name, value === undefined ? summary : `${summary} (default: ${value})`),
  );
  const sections = [
    '# Reference',
    'Every command and option of natter. `npm run reference` writes this page from the program; `natter <command> --help` prints the same text.',
    contents.join('\n'),
    ...program.commands.map(commandSection),
    `## Options of every command\n\n${optionItems(program.options)}`,
    `## Exit codes\n\n| code | kind | meaning |\n| --- | --- | --- |\n${exits.join('\n')}`,
    `## Environment variables\n\nA flag overrides a variable, and a variable overrides the profile; an empty variable counts as unset.\n\n${variables.join('\n')}`,
  ];
  return `${sections.join('\n\n')}\n`;
}

type Row = readonly [first: string, second: string];

/** A Markdown table in the layout of the formatter: cells as wide as their column. */
function table(heads: Row, rows: readonly Row[]): string {
  const all = [heads, ...rows];
  const widths = [0, 1].map((index) => Math.max(...all.map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [line(heads), rule, ...rows.map(line)].join('\n');
}

function keyTable(...places: readonly KeyBinding['when'][]): string {
  const rows = keyBindings
    .filter(({ when }) => places.includes(when))
    .map(({ keys, summary }): Row => {
      return [keys.map((key) => `\`${keyLabel(key)}\``).join(', '), summary.replace('\\', '`\\`')];
    });
  return table(['Keys', 'What they do'], rows);
}

const commandRows = slashCommands.map((command): Row => {
  return [`\`${usageOf(command)}\``, command.summary];
});

const tables: Readonly<Record<string, string>> = {
  commands: table(['Command', 'What it does'], commandRows),
  keys: keyTable('composer', 'anywhere'),
  'keys of the completion menu': keyTable('completion'),
  'keys of the search': keyTable('search'),
  'keys of the list': keyTable('list'),
};

/** Replaces the tables of docs/repl.md, which are between comments that name them. */
export function withReplTables(guide: string): string {
  return Object.entries(tables).reduce((text, [name, content]) => {
    const [start, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
    const [before, rest = ''] = text.split(start);
    const after = rest.split(end)[1];
    if (after === undefined) throw new Error(`docs/repl.md has no place for the ${name}`);
    return `${before}${start}\n\n${content}\n\n${end}${after}`;
  }, guide);
}
