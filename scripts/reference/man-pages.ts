import { readdirSync, readFileSync } from 'node:fs';
import { exitCodeRows } from '../../src/commands/help/guides.ts';
import { topicRows } from '../../src/commands/help/topic-names.ts';
import { storedKinds, storedPaths } from '../../src/commands/config/command.ts';
import { durationNote } from '../../src/cli/options.ts';
import { environmentVariables } from '../../src/settings/environment-variables.ts';
import type { DescribedCommand, DescribedOption, DescribedProgram } from './command-tree.ts';

const dateOf = (text: string) => /\b20\d\d-[01]\d-[0-3]\d\b/.exec(text)?.[0];

/** The newest date in the design decisions: a date that changes only with the source. */
function newestDecision(): string | undefined {
  const folder = 'docs/decisions';
  const dates = readdirSync(folder).map((name) => {
    return dateOf(readFileSync(`${folder}/${name}`, 'utf8')) ?? '';
  });
  return dates.toSorted().at(-1);
}

/**
 * The date of a version in CHANGELOG.md, as 2026-01-31; before its release, that of the newest design decision. The
 * clock is not used, because the package must be reproducible.
 * @throws Error if neither has a date
 */
export function releaseDate(version: string): string {
  const headings = readFileSync('CHANGELOG.md', 'utf8').match(/^## .*$/gm) ?? [];
  const released = headings.find((line) => line.startsWith(`## ${version} `)) ?? '';
  const date = dateOf(released) ?? newestDecision();
  if (date === undefined) throw new Error(`${version} has no date`);
  return date;
}

/** Escapes control characters of roff, and makes dashes that can be copied. */
function roff(text: string): string {
  const escaped = text
    .replaceAll('`', '')
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll('…', '...');
  return /^[.']/.test(escaped) ? String.raw`\&${escaped}` : escaped;
}

/** A line in bold. Quotes would group the words of the macro. */
const bold = (text: string) => `.B ${roff(text).replaceAll('"', String.raw`\(dq`)}`;

/** A term, and its description beside or below it. */
const tagged = (term: string, description: string) =>
  `.TP\n${bold(term)}\n${description === '' ? String.raw`\&` : roff(description)}`;

/** Lines that are not filled, indented. */
function verbatim(lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  return ['.RS', '.nf', ...lines.map(roff), '.fi', '.RE'];
}

/** The reference to a page of section 1. */
const pageName = (name: string) => `.BR ${roff(name)} (1)`;

/** `natter-batch` */
const pageOf = ({ name }: DescribedCommand) => name.replace(' ', '-');

const optionText = (options: readonly DescribedOption[]) =>
  options.map(({ flags, description }) => tagged(flags, description));

const examples = (lines: readonly string[]) => verbatim(lines.map((line) => `$ ${line}`));

const examplesBelow = (lines: readonly string[]) =>
  lines.length === 0 ? [] : ['.PP', ...examples(lines)];

const section = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : [`.SH ${title}`, ...lines];

function heading(page: string, { version }: DescribedProgram, date: string): string {
  return `.TH ${roff(page.toUpperCase())} 1 ${date} "natter ${version}" "User Commands"`;
}

/** Arguments, options, and the rows of its list. */
function detailText({ arguments: words, options, list }: DescribedCommand): readonly string[] {
  const rows = list?.rows ?? [];
  return [
    ...words.map(({ term, description }) => tagged(term, description)),
    ...optionText(options),
    ...(rows.length === 0 ? [] : ['.PP', `${list?.heading}`]),
    ...rows.map(({ term, description }) => tagged(term, description)),
  ];
}

function subcommandText(command: DescribedCommand): readonly string[] {
  return [
    `.SS ${roff(command.usage)}`,
    roff(command.description),
    ...detailText(command),
    ...examplesBelow(command.examples),
  ];
}

/** A command of `natter --help` with its subcommands. */
function commandPage(command: DescribedCommand, program: DescribedProgram, date: string): string {
  const page = pageOf(command);
  const subcommands = program.commands.filter(({ name }) => name.startsWith(`${command.name} `));
  const topics = topicRows.map(({ name, summary }) => tagged(name, summary));
  const lines = [
    heading(page, program, date),
    '.SH NAME',
    `${roff(page)} ${String.raw`\-`} ${roff(command.summary)}`,
    '.SH SYNOPSIS',
    bold(command.usage),
    ...subcommands.flatMap(({ usage }) => ['.br', bold(usage)]),
    '.SH DESCRIPTION',
    roff(command.description),
    ...section('OPTIONS', detailText(command)),
    ...section('COMMANDS', subcommands.flatMap(subcommandText)),
    ...(page === 'natter-help' ? section('TOPICS', topics) : []),
    '.SH EXIT STATUS',
    '0, or the code of a failure; all of them are in',
    `${pageName('natter')}.`,
    ...section('EXAMPLES', examples(command.examples)),
    '.SH SEE ALSO',
    'The options of every command, environment variables and files are in',
    `${pageName('natter')}.`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Where natter keeps its files, unless a variable moves them. */
function fileText(): readonly string[] {
  const home = '/home/user';
  const facts = { environment: { HOME: home }, platform: 'linux', homeDirectory: home } as const;
  return storedPaths(facts).map(({ name, path }) => {
    const summary = storedKinds.find((kind) => kind.name === name)?.summary ?? '';
    return tagged(path.replace(home, '~'), summary);
  });
}

function mainPage(
  program: DescribedProgram,
  commands: readonly DescribedCommand[],
  date: string,
): string {
  const [chat] = program.commands;
  const lines = [
    heading('natter', program, date),
    '.SH NAME',
    String.raw`natter \- a terminal chat client`,
    '.SH SYNOPSIS',
    '.B natter\n[chat] [options] [prompt...]\n.br\n.B natter\ncommand [options]',
    '.SH DESCRIPTION',
    roff(program.summary),
    'Sends a prompt and prints the answer; on a terminal without a prompt, opens a conversation.',
    ...section('OPTIONS', chat === undefined ? [] : detailText(chat)),
    '.SS Options of every command',
    ...optionText(program.options),
    '.PP',
    roff(durationNote),
    '.SH COMMANDS',
    ...commands.flatMap((command) => ['.TP', pageName(pageOf(command)), roff(command.summary)]),
    '.SH EXIT STATUS',
    ...exitCodeRows.map(([code, name, meaning]) => tagged(code, `${name}: ${meaning}`)),
    '.SH ENVIRONMENT',
    ...environmentVariables.map(({ name, summary, default: value }) =>
      tagged(name, value === undefined ? summary : `${summary} (default: ${value})`),
    ),
    '.SH FILES',
    ...fileText(),
    '.PP',
    roff('natter config paths prints those of this machine.'),
    '.SH EXAMPLES',
    ...program.examples.map((example) => {
      const [line = '', meaning = ''] = example.split(/ +# /);
      return tagged(line, meaning);
    }),
    ...examplesBelow(chat?.examples ?? []),
    '.SH SEE ALSO',
    ...commands.map((command, index) => {
      const comma = index < commands.length - 1 ? ',' : '';
      return pageName(pageOf(command)) + comma;
    }),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * The man pages, for man-db, mandoc and groff: one for natter, one for each command with its subcommands.
 * @param date as 2026-01-31
 */
export function manPages(
  program: DescribedProgram,
  date: string,
): readonly (readonly [path: string, text: string])[] {
  const commands = program.commands.filter(({ name }) => name.split(' ').length === 2);
  const pages = commands.map(
    (command) => [`man/${pageOf(command)}.1`, commandPage(command, program, date)] as const,
  );
  return [['man/natter.1', mainPage(program, commands, date)], ...pages];
}
