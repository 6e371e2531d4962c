// `-h`: one screen of a small terminal, with a row left for the prompt of the shell.
import type { Command, Help } from 'commander';
import { commandTable } from './command-table.ts';
import { topicNames } from '../help/topic-names.ts';
import { generalGroup, serviceGroup } from './global-options.ts';
import { examplesOf, helpListOf, takesServiceOptions, type HelpRow } from './help-details.ts';
import { formatSection, helpWidth, introduction, joinSections } from './help-format.ts';
import { exampleLines, ownOptions, subcommandRows } from './help-items.ts';

/** Whether help is wanted on one screen: `-h`, not `--help`. @param words the whole command line */
export function wantsShortHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  const flags = end < 0 ? words : words.slice(0, end);
  return flags.includes('-h') && !flags.includes('--help');
}

const mostRows = 23;
const mostExamples = 3;

const rowsOf = (text: string) => text.split('\n').length - 1;

/** Words that are never split, in rows of the help's width after a label. */
function wrapWords(label: string, words: readonly string[]): string {
  const rows = [label];
  for (const [index, word] of words.entries()) {
    const text = index < words.length - 1 ? `${word},` : word;
    const longer = `${rows.at(-1)} ${text}`;
    if (longer.trimEnd().length <= helpWidth) rows[rows.length - 1] = longer;
    else rows.push(`${' '.repeat(label.length)} ${text}`);
  }
  return rows.map((row) => row.trimEnd()).join('\n');
}

/** The command as typed: `natter config set`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** natter itself: what most people type, the commands, and where the rest is. */
function formatProgram(program: Command, help: Help): string {
  const [description = ''] = introduction(program, help);
  const examples = examplesOf(program).map(({ line, meaning = '' }): HelpRow => {
    return { term: line, description: meaning };
  });
  const width = Math.max(...examples.map(({ term }) => term.length));
  const lines = examples.map(({ term, description: text }) => `  ${term.padEnd(width)}  ${text}`);
  // The examples show prompts; the last rows show help.
  const seldom = commandTable.filter(({ isSeldom }) => isSeldom === true).map(({ name }) => name);
  const omitted = new Set(['[chat]', 'help', ...seldom]);
  const shown = subcommandRows(program, help).filter(
    ({ term }) => !omitted.has(term.split(' ')[0] ?? ''),
  );
  return joinSections([
    description,
    lines.join('\n'),
    [formatSection('Commands:', shown, help), wrapWords('  also:', seldom)].join('\n'),
    [
      'More: natter --help (all options), natter <command> -h, natter help <topic>',
      wrapWords('Topics:', topicNames),
    ].join('\n'),
  ]);
}

/** Own options in decreasing lengths: with descriptions, names with values, names, fewer and fewer names. */
function optionTexts(options: readonly HelpRow[], help: Help): readonly string[] {
  if (options.length === 0) return [''];
  const flags = options.map(({ term }) => term.replace(/^-\w, /, ''));
  const names = flags.map((flag) => flag.replace(/ [<[].*$/, ''));
  return [
    formatSection('Options:', options, help),
    wrapWords('Options:', flags),
    wrapWords('Options:', names),
    ...names
      .slice(1)
      .map((_, cut) => wrapWords('Options:', [...names.slice(0, -cut - 1), `and ${cut + 1} more`])),
  ];
}

/** A command, with its own options in the greatest length that fits, then fewer examples, then fewer options, if none fits. */
function formatCommand(command: Command, help: Help): string {
  const options = ownOptions(command, help).filter(
    ({ group }) => group !== generalGroup && group !== serviceGroup,
  );
  const examples = examplesOf(command).slice(0, mostExamples);
  const service = takesServiceOptions(command) ? ', natter help service' : '';
  const list = helpListOf(command);
  const names = list?.rows.map(({ term }) => term.replace(/ <.*$/, '')) ?? [];
  const listed = list?.isInShortHelp === true ? wrapWords(list.heading, names) : '';
  const format = (text: string, shown: typeof examples) =>
    joinSections([
      ...introduction(command, help),
      ['Examples:', ...exampleLines(shown)].join('\n'),
      formatSection('Commands:', subcommandRows(command, help), help),
      listed,
      text,
      `More: ${pathOf(command)} --help${service}`,
    ]);
  const fewestExamples = examples.slice(0, 1);
  const [described = '', withValues = '', ...shorter] = optionTexts(options, help);
  const lengths = [
    ...[described, withValues, shorter[0] ?? ''].map((text) => format(text, examples)),
    ...examples.map((_, cut) => format(shorter[0] ?? '', examples.slice(0, -cut - 1))).slice(0, -1),
    ...shorter.slice(1).map((text) => format(text, fewestExamples)),
  ];
  return lengths.find((text) => rowsOf(text) <= mostRows) ?? lengths.at(-1) ?? '';
}

/** The help of `-h` as plain text of at most 23 rows of 80 columns. */
export function formatShortHelp(command: Command, help: Help): string {
  return command.parent === null ? formatProgram(command, help) : formatCommand(command, help);
}
