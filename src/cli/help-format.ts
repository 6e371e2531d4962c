// The texts of `--help`, and of `-h`, which is one screen.
import type { Command, Help } from 'commander';
import type { Context } from '../run.ts';
import { showInPager } from '../terminal/device/pager.ts';
import { topicNames } from '../commands/help/topic-names.ts';
import { generalGroup, serviceGroup, durationNote } from './options.ts';
import { optionSources, type HelpRow, helpOf, pathOf } from './help-details.ts';

const ownGroup = 'Options:';

/** The rows of a command's own options, each with its heading; `--help` and the options of natter itself are general. */
function ownOptions(command: Command, help: Help) {
  return help.visibleOptions(command).map((option) => {
    const isGeneral = command.parent === null || option.long === '--help';
    const group = option.helpGroupHeading ?? (isGeneral ? generalGroup : ownGroup);
    return { group, term: help.optionTerm(option), description: option.description };
  });
}

/** `get <model>`, `[chat] [prompt...]`: names and arguments; the name of the default command is optional. */
function subcommandRows(command: Command, help: Help): readonly HelpRow[] {
  return help.visibleCommands(command).map((child) => {
    const isDefault = command.parent === null && child.name() === 'chat';
    const words = child.registeredArguments.map((argument) => {
      const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
      return argument.required ? `<${text}>` : `[${text}]`;
    });
    const term = [isDefault ? `[${child.name()}]` : child.name(), ...words].join(' ');
    return { term, description: child.summary() };
  });
}

export function serviceRows(program: Command, help: Help): readonly HelpRow[] {
  return ownOptions(program, help).filter(({ group }) => group === serviceGroup);
}

export const helpWidth = 80;

/** Wraps a text at the width of the help. Its words stay whole. */
export const wrapHelp = (text: string, help: Help, indent = 0): string =>
  help.boxWrap(text, (help.helpWidth ?? helpWidth) - indent);

const widestTerm = 28;
/** Columns for a description beside its term; with fewer it is below. */
const leastColumns = 30;

function descriptionIndent(termWidth: number, { helpWidth: width = helpWidth }: Help): number {
  return width - termWidth - 4 < leastColumns ? 6 : termWidth + 4;
}

export function formatRows(rows: readonly HelpRow[], help: Help): string {
  const termWidth = Math.min(widestTerm, Math.max(...rows.map(({ term }) => term.length)));
  const indent = descriptionIndent(termWidth, help);
  const formatted = rows.map(({ term, description }) => {
    const text = wrapHelp(description, help, indent).replaceAll('\n', `\n${' '.repeat(indent)}`);
    const isBelow = term.length + 4 > indent;
    const gap = isBelow ? `\n${' '.repeat(indent)}` : ' '.repeat(indent - 2 - term.length);
    return `  ${wrapHelp(term, help, 2).replaceAll('\n', '\n  ')}${gap}${text}`.trimEnd();
  });
  return formatted.join('\n');
}

export function formatSection(heading: string, rows: readonly HelpRow[], help: Help): string {
  return rows.length === 0 ? '' : `${heading}\n${formatRows(rows, help)}`;
}

const joinSections = (sections: readonly string[]): string =>
  `${sections.filter((section) => section !== '').join('\n\n')}\n`;

const introduction = (command: Command, help: Help): readonly string[] => [
  wrapHelp(help.commandDescription(command), help).trimEnd(),
  wrapHelp(`Usage: ${help.commandUsage(command)}`, help),
];

/**
 * The options in the whole help, by heading; the service options only in the help of natter itself. The options of the
 * command come before those of natter; --help counts as natter's, although each command declares it.
 */
function optionSections(command: Command, help: Help): readonly string[] {
  const hidden = command.parent === null ? undefined : serviceGroup;
  const options = optionSources(command)
    .flatMap((one) => ownOptions(one, help))
    .filter(({ group }) => group !== hidden);
  const rows = [...new Map(options.map((row) => [`${row.group} ${row.term}`, row])).values()];
  const groups = new Set(rows.map(({ group }) => group));
  if (command.parent !== null && groups.delete(generalGroup)) groups.add(generalGroup);
  return Array.from(groups, (heading) => {
    const ofGroup = rows.filter(({ group }) => group === heading);
    return formatSection(heading, ofGroup, help);
  });
}

/** The whole help as plain text, options by group. */
export function formatHelp(command: Command, help: Help): string {
  const { list, examples, hidesServiceOptions } = helpOf(command);
  const isProgram = command.parent === null;
  const service = hidesServiceOptions ? '' : 'Also: service options (natter help service)';
  const topics = `Topics: natter help ${topicNames.join(', ')}`;
  const described = command.registeredArguments
    .filter(({ description }) => description !== '')
    .map((argument) => ({ term: argument.name(), description: argument.description }));
  return joinSections([
    ...introduction(command, help),
    ['Examples:', ...examples].join('\n  $ '),
    formatSection('Arguments:', described, help),
    list === undefined ? '' : formatSection(list.heading, list.rows, help),
    formatSection('Commands:', subcommandRows(command, help), help),
    ...optionSections(command, help),
    ...(isProgram ? [durationNote, topics] : [service]).map((text) => wrapHelp(text, help)),
  ]);
}

/** The rows of a small terminal; one is left for the prompt of the shell. */
const mostRows = 24;

/** Commands that the help of `-h`, which must fit on one screen, names without their summaries. */
const seldomNames = ['prompts', 'usage', 'doctor', 'sandbox', 'shell-init', 'completion'];

/** natter itself: what most people type, the commands, and where the rest is. */
function formatProgram(program: Command, help: Help): string {
  const [description = ''] = introduction(program, help);
  const examples = helpOf(program).examples.map((line) => `  ${line}`);
  const more = 'More: natter --help (all options), natter <command> -h, natter help <topic>';
  // The examples show prompts; the last rows show help.
  const omitted = new Set(['[chat]', 'help', ...seldomNames]);
  const shown = subcommandRows(program, help).filter(
    ({ term }) => !omitted.has(term.split(' ')[0] ?? ''),
  );
  return joinSections([
    description,
    examples.join('\n'),
    wrapHelp(`${formatSection('Commands:', shown, help)}\n  also: ${seldomNames.join(', ')}`, help),
    `${wrapHelp(more, help)}\n${wrapHelp(`Topics: ${topicNames.join(', ')}`, help)}`,
  ]);
}

/** The options that most people use, if not all fit on one screen. */
const popular =
  '--models --output --template --model --file --continue --system --schema --diff --json --dry-run --port'.split(
    ' ',
  );

const rankOf = ({ term }: HelpRow) =>
  [...popular, term].findIndex((name) => term === name || term.split(/[ ,]+/).includes(name));

/** The start of a clause or a parenthesis, which is not within one. */
const clauseStart = /(?=, |: [a-z"]| \()(?![^(]*\))/;

/** A command with three examples, and as many of its options as fit, first those that people use most. */
function formatCommand(command: Command, help: Help): string {
  const options = ownOptions(command, help).filter(
    ({ group }) => group !== generalGroup && group !== serviceGroup,
  );
  const used = options.toSorted((one, other) => rankOf(one) - rankOf(other));
  const service = !helpOf(command).hidesServiceOptions ? ', natter help service' : '';
  const { list, examples } = helpOf(command);
  const names = list?.rows.map(({ term }) => term.replace(/ <.*$/, '')) ?? [];
  const listRow = list?.isInShortHelp === true ? `${list.heading} ${names.join(', ')}` : '';
  const children = subcommandRows(command, help);
  const childNames = children.map(({ term }) => term.split(' ')[0]).join(', ');
  const format = (rows: readonly HelpRow[]) => {
    const rest = options.length - rows.length;
    const termWidth = Math.min(widestTerm, Math.max(0, ...rows.map(({ term }) => term.length)));
    const room = (help.helpWidth ?? helpWidth) - descriptionIndent(termWidth, help);
    // Without the names of variables; a description over one row loses its last clauses.
    const shortRows = rows.map(({ term, description }) => {
      const [whole = ''] = description.replace(/ \[[A-Z_]+\]$/, '').split('; ');
      const clauses = whole.split(clauseStart);
      while (clauses.length > 1 && clauses.join('').length > room) clauses.pop();
      return { term, description: clauses.join('') };
    });
    return joinSections([
      ...introduction(command, help),
      ['Examples:', ...examples.slice(0, 3)].join('\n  $ '),
      options.length === 0 || children.length === 0
        ? formatSection('Commands:', children, help)
        : wrapHelp(`Commands: ${childNames}`, help),
      wrapHelp(listRow, help),
      formatSection('Options:', shortRows, help),
      `More: ${pathOf(command)} --help${rest === 0 ? '' : ` (${rest} more options)`}${service}`,
    ]);
  };
  let text = format(used);
  for (let shown = used.length; text.split('\n').length > mostRows && shown >= 0; shown -= 1) {
    text = format(used.slice(0, shown));
  }
  return text;
}

/** The help of `-h` as plain text of at most 23 rows. */
export function formatShortHelp(command: Command, help: Help): string {
  return command.parent === null ? formatProgram(command, help) : formatCommand(command, help);
}

/** Prints a help, in a pager if it does not fit the terminal. */
export async function printHelp(context: Context, text: string): Promise<void> {
  const { device } = context;
  const { stdout } = context.streams;
  if (stdout.isTerminal) {
    // Ctrl+C is a key of the pager; natter gets the signal too, but only when the pager has ended.
    const release = device.on('SIGINT', () => undefined);
    if (showInPager(text, stdout.rows(), context)) return;
    release();
  }
  await stdout.write(text);
}
