import type { Command, Help } from 'commander';
import { topicNames } from '../help/topic-names.ts';
import { durationNote } from './global-options.ts';
import { examplesOf, helpListOf, takesServiceOptions, type HelpRow } from './help-details.ts';
import { argumentRows, exampleLines, optionGroups, subcommandRows } from './help-items.ts';

export const helpWidth = 80;

const widestTerm = 28;

function formatRow({ term, description }: HelpRow, termWidth: number, help: Help): string {
  const indent = termWidth + 4;
  const text = help
    .boxWrap(description, helpWidth - indent)
    .replaceAll('\n', `\n${' '.repeat(indent)}`);
  const isLong = term.length > termWidth;
  const gap = isLong ? `\n${' '.repeat(indent)}` : ' '.repeat(indent - 2 - term.length);
  return `  ${term}${gap}${text}`.trimEnd();
}

/** Rows in two columns, without a heading. */
export function formatRows(rows: readonly HelpRow[], help: Help): string {
  const termWidth = Math.min(widestTerm, Math.max(...rows.map(({ term }) => term.length)));
  return rows.map((row) => formatRow(row, termWidth, help)).join('\n');
}

/** A heading and its rows; empty without rows. */
export function formatSection(heading: string, rows: readonly HelpRow[], help: Help): string {
  return rows.length === 0 ? '' : `${heading}\n${formatRows(rows, help)}`;
}

const listed = (words: readonly string[]) => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** Where the rest is: the service options, and the topics. */
function ending(command: Command, help: Help): readonly string[] {
  if (command.parent === null) {
    return [durationNote, help.boxWrap(`Topics: natter help ${listed(topicNames)}`, helpWidth)];
  }
  return takesServiceOptions(command) ? ['Also: service options (natter help service)'] : [];
}

/** The parts of a help that have a text, with blank lines between them. */
export const joinSections = (sections: readonly string[]): string =>
  `${sections.filter((section) => section !== '').join('\n\n')}\n`;

/** The start of each help: what the command does, how it is called. */
export const introduction = (command: Command, help: Help): readonly string[] => [
  help.boxWrap(help.commandDescription(command), helpWidth).trimEnd(),
  `Usage: ${help.commandUsage(command)}`,
];

/** The whole help as plain text of at most 80 columns, options by group. */
export function formatHelp(command: Command, help: Help): string {
  const list = helpListOf(command);
  const groups = [...optionGroups(command, help)];
  const examples = exampleLines(examplesOf(command));
  return joinSections([
    ...introduction(command, help),
    examples.length === 0 ? '' : ['Examples:', ...examples].join('\n'),
    formatSection('Arguments:', argumentRows(command), help),
    list === undefined ? '' : formatSection(list.heading, list.rows, help),
    formatSection('Commands:', subcommandRows(command, help), help),
    ...groups.map(([heading, rows]) => formatSection(heading, rows, help)),
    ...ending(command, help),
  ]);
}
