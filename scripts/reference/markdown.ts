import { exitCodeRows } from '../../src/commands/help/exit-codes.ts';
import { environmentVariables } from '../../src/settings/environment-variables.ts';
import type { DescribedCommand, DescribedOption, DescribedProgram } from './command-tree.ts';

const item = (term: string, description: string) =>
  description === '' ? `- \`${term}\`` : `- \`${term}\`: ${description.replaceAll('<', '\\<')}`;

const optionItems = (options: readonly DescribedOption[]) =>
  options.map(({ flags, description }) => item(flags, description)).join('\n');

const anchor = (title: string) => title.replaceAll(' ', '-');

function commandSection(command: DescribedCommand): string {
  const words = command.arguments.filter(({ description }) => description !== '');
  const parts = [
    `## ${command.name}`,
    command.description,
    `\`\`\`text\n${command.usage}\n\`\`\``,
    words.map(({ term, description }) => item(term, description)).join('\n'),
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
