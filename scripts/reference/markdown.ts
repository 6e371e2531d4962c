import { exitCodeRows } from '../../src/commands/help/guides.ts';
import { referenceTables, tableRow } from '../../src/sandbox/replies/replies.ts';
import { slashCommands, usageOf } from '../../src/repl/commands.ts';
import { keyBindings, keyLabel, type KeyMap } from '../../src/repl/composer/keys/key-bindings.ts';
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

const row = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`;

const table = (heads: readonly string[], rows: readonly string[]) =>
  [row(...heads), row(...heads.map(() => '---')), ...rows].join('\n');

function keyTable(...places: readonly KeyMap[number]['when'][]): string {
  const rows = keyBindings
    .filter(({ when }) => places.includes(when))
    .map(({ keys, summary }) => {
      const labels = keys.map((key) => `\`${keyLabel(key)}\``).join(', ');
      return row(labels, summary.replace('\\', '`\\`'));
    });
  return table(['keys', 'what they do'], rows);
}

const commandRows = slashCommands.map((command) => row(`\`${usageOf(command)}\``, command.summary));

const sandboxTables = referenceTables().map(
  ({ title, rows }) => `### ${title}\n\n${table(['name', 'effect'], rows.map(tableRow))}`,
);

/** `docs/reference.md`. */
export function referenceMarkdown(program: DescribedProgram): string {
  const contents = program.commands.map(({ name }) => `- [${name}](#${anchor(name)})`);
  const exits = exitCodeRows.map((cells) => row(...cells));
  const variables = environmentVariables.map(({ name, summary, default: value }) =>
    item(name, value === undefined ? summary : `${summary} (default: ${value})`),
  );
  const sections = [
    '# Reference',
    'Every command and option of natter. `npm run reference` writes this page from the program; `natter <command> --help` prints the same text.',
    contents.join('\n'),
    ...program.commands.map(commandSection),
    `## Options of every command\n\n${optionItems(program.options)}`,
    `## Exit codes\n\n${table(['code', 'kind', 'meaning'], exits)}`,
    `## Environment variables\n\nA flag overrides a variable, and a variable overrides the profile; an empty variable counts as unset.\n\n${variables.join('\n')}`,
    `## Commands of a conversation\n\n${table(['command', 'what it does'], commandRows)}`,
    `## Keys of a conversation\n\n${keyTable('composer', 'anywhere')}`,
    `### In the completion menu\n\n${keyTable('completion')}`,
    `### In the search of earlier prompts\n\n${keyTable('search')}`,
    `### In the list of conversations\n\n${keyTable('list')}`,
    '## Faults of the sandbox',
    '`natter --sandbox "[sandbox help]"` prints these tables.',
    ...sandboxTables,
  ];
  return `${sections.join('\n\n')}\n`;
}
