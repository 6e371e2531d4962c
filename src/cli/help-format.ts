// The texts of `--help`, and of `-h`, which is one screen.
import type { Command, Help } from 'commander';
import type { Context } from '../run.ts';
import { showInPager } from '../terminal/device/pager.ts';
import { topicNames } from '../commands/help/topic-names.ts';
import { hasFlag } from './command-line.ts';
import { generalGroup, serviceGroup, durationNote } from './global-options.ts';
import {
  optionSources,
  type Example,
  type HelpRow,
  examplesOf,
  helpListOf,
  takesServiceOptions,
} from './help-details.ts';

const ownGroup = 'Options:';

/** The rows of a command's own options, each with its heading; `--help` and the options of natter itself are general. */
function ownOptions(command: Command, help: Help) {
  return help.visibleOptions(command).map((option) => {
    const isGeneral = command.parent === null || option.long === '--help';
    const group = option.helpGroupHeading ?? (isGeneral ? generalGroup : ownGroup);
    return { group, term: help.optionTerm(option), description: option.description };
  });
}

/** `get <model>`, `[chat] [prompt...]`: name and arguments; the name of the default command is optional. */
function commandTerm(command: Command): string {
  const isDefault = command.parent?.parent === null && command.name() === 'chat';
  const name = isDefault ? `[${command.name()}]` : command.name();
  const words = command.registeredArguments.map((argument) => {
    const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${text}>` : `[${text}]`;
  });
  return [name, ...words].join(' ');
}

/** The subcommands with their summaries. */
function subcommandRows(command: Command, help: Help): readonly HelpRow[] {
  return help.visibleCommands(command).map((child) => {
    return { term: commandTerm(child), description: child.summary() };
  });
}

/** The arguments that have a description. */
const argumentRows = ({ registeredArguments }: Command): readonly HelpRow[] =>
  registeredArguments
    .filter(({ description }) => description !== '')
    .map((argument) => ({ term: argument.name(), description: argument.description }));

/** The options in the whole help, by heading; the service options only in the help of natter itself. */
function optionGroups(command: Command, help: Help): ReadonlyMap<string, readonly HelpRow[]> {
  const groups = new Map<string, HelpRow[]>();
  const seen = new Set<string>();
  const options = optionSources(command).flatMap((one) => ownOptions(one, help));
  for (const { group, ...row } of options) {
    const key = `${group} ${row.term}`;
    if (seen.has(key) || (group === serviceGroup && command.parent !== null)) continue;
    seen.add(key);
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  // The options of the command come before those of natter; --help counts as natter's, although each command declares it.
  const general = groups.get(generalGroup);
  if (general === undefined || command.parent === null) return groups;
  groups.delete(generalGroup);
  return groups.set(generalGroup, general);
}

/** The options of every command that uses a service. */
export function serviceRows(program: Command, help: Help): readonly HelpRow[] {
  return ownOptions(program, help).filter(({ group }) => group === serviceGroup);
}

/** The rows of examples, with what they do in a second column. */
function exampleLines(examples: readonly Example[]): readonly string[] {
  const width = Math.max(0, ...examples.map(({ line }) => line.length));
  return examples.map(({ line, meaning = '' }) =>
    `  $ ${line.padEnd(width)}  ${meaning}`.trimEnd(),
  );
}

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
const joinSections = (sections: readonly string[]): string =>
  `${sections.filter((section) => section !== '').join('\n\n')}\n`;

/** The start of each help: what the command does, how it is called. */
const introduction = (command: Command, help: Help): readonly string[] => [
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

/** Whether help is wanted on one screen: `-h`, not `--help`. @param words the whole command line */
export function wantsShortHelp(words: readonly string[]): boolean {
  return hasFlag(words, '-h') && !hasFlag(words, '--help');
}

/** Of a small terminal, with a row left for the prompt of the shell. */
const mostRows = 23;
const mostOptions = 8;

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

/** Commands that the help of `-h`, which must fit on one screen, names without their summaries. */
const seldomNames = ['prompts', 'usage', 'doctor', 'sandbox', 'shell-init', 'completion'];

/** natter itself: what most people type, the commands, and where the rest is. */
function formatProgram(program: Command, help: Help): string {
  const [description = ''] = introduction(program, help);
  const examples = exampleLines(examplesOf(program)).map((line) => line.replace('$ ', ''));
  // The examples show prompts; the last rows show help.
  const omitted = new Set(['[chat]', 'help', ...seldomNames]);
  const shown = subcommandRows(program, help).filter(
    ({ term }) => !omitted.has(term.split(' ')[0] ?? ''),
  );
  return joinSections([
    description,
    examples.join('\n'),
    [formatSection('Commands:', shown, help), wrapWords('  also:', seldomNames)].join('\n'),
    [
      'More: natter --help (all options), natter <command> -h, natter help <topic>',
      wrapWords('Topics:', topicNames),
    ].join('\n'),
  ]);
}

/** The options that most people use, if not all fit on one screen. */
const popular =
  '--models --model --file --continue --system --schema --diff --json --output --dry-run --port'.split(
    ' ',
  );

const ownRank = ({ term }: HelpRow) => {
  const rank = popular.findIndex((name) => term.split(/[ ,]+/).includes(name));
  return rank < 0 ? popular.length : rank;
};

/** A row without the name of its variable, and without what follows the first clause of its description. */
const inShort = ({ term, description }: HelpRow): HelpRow => ({
  term,
  description: description.replace(/ \[[A-Z_]+\]$/, '').replace(/; .*/s, ''),
});

/** A command with its own options, or with those of them that people use most, and fewer examples, as they fit. */
function formatCommand(command: Command, help: Help): string {
  const options = ownOptions(command, help).filter(
    ({ group }) => group !== generalGroup && group !== serviceGroup,
  );
  const used = options.toSorted((one, other) => ownRank(one) - ownRank(other));
  const service = takesServiceOptions(command) ? ', natter help service' : '';
  const list = helpListOf(command);
  const names = list?.rows.map(({ term }) => term.replace(/ <.*$/, '')) ?? [];
  const listRow = list?.isInShortHelp === true ? wrapWords(list.heading, names) : '';
  const format = (shown: number, examples: number) => {
    const rest = options.length - shown;
    return joinSections([
      ...introduction(command, help),
      ['Examples:', ...exampleLines(examplesOf(command).slice(0, examples))].join('\n'),
      formatSection('Commands:', subcommandRows(command, help), help),
      listRow,
      formatSection('Options:', rest === 0 ? options : used.slice(0, shown).map(inShort), help),
      `More: ${pathOf(command)} --help${rest === 0 ? '' : ` (${rest} more options)`}${service}`,
    ]);
  };
  const most = Math.min(options.length, mostOptions);
  const texts = [
    ...[3, 2, 1].map((examples) => format(options.length, examples)),
    ...[3, 2].map((examples) => format(most, examples)),
    ...Array.from({ length: most + 1 }, (_, fewer) => format(most - fewer, 1)),
  ];
  return texts.find((text) => rowsOf(text) <= mostRows) ?? texts.at(-1) ?? '';
}

/** The help of `-h` as plain text of at most 23 rows of 80 columns. */
export function formatShortHelp(command: Command, help: Help): string {
  return command.parent === null ? formatProgram(command, help) : formatCommand(command, help);
}

/** Prints a help, in a pager if it does not fit the terminal. */
export async function printHelp(context: Context, text: string): Promise<void> {
  const { streams, device, environment, platform } = context;
  const { stdout } = streams;
  if (stdout.isTerminal) {
    const size = { columns: stdout.columns(), rows: stdout.rows() };
    // Ctrl+C is a key of the pager; natter gets the signal too, but only when the pager has ended.
    const release = device.onInterrupt(() => undefined);
    if (showInPager(text, { ...size, environment, platform })) return;
    release();
  }
  await stdout.write(text);
}
