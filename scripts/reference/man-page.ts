import { exitCodeRows } from '../../src/commands/help/exit-codes.ts';
import { environmentVariables } from '../../src/settings/environment-variables.ts';
import type { DescribedCommand, DescribedOption, DescribedProgram } from './command-tree.ts';

/** Escapes control characters of roff, and makes dashes that can be copied. */
function roff(text: string): string {
  const escaped = text
    .replaceAll('`', '')
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll('…', '...');
  return /^[.']/.test(escaped) ? String.raw`\&${escaped}` : escaped;
}

const tagged = (term: string, description: string) =>
  `.TP\n.B ${roff(term)}\n${description === '' ? String.raw`\&` : roff(description)}`;

const optionText = (options: readonly DescribedOption[]) =>
  options.map(({ flags, description }) => tagged(flags, description));

function exampleText(lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  return ['.PP', '.RS', '.nf', ...lines.map((line) => `$ ${line}`).map(roff), '.fi', '.RE'];
}

function commandText(command: DescribedCommand): readonly string[] {
  const words = command.arguments.filter(({ description }) => description !== '');
  return [
    `.SS ${roff(command.usage)}`,
    roff(command.description),
    ...words.map(({ term, description }) => tagged(term, description)),
    ...optionText(command.options),
    ...exampleText(command.examples),
  ];
}

/** `man/natter.1`, for man-db, mandoc and groff. */
export function manPage(program: DescribedProgram): string {
  const lines = [
    `.TH NATTER 1 "" "natter ${program.version}" "User Commands"`,
    '.SH NAME',
    String.raw`natter \- a terminal chat client`,
    '.SH SYNOPSIS',
    '.B natter\n[chat] [options] [prompt...]\n.br\n.B natter\ncommand [options]',
    '.SH DESCRIPTION',
    roff(program.summary),
    'Sends a prompt and prints the answer; on a terminal without a prompt, opens a conversation.',
    '.SH COMMANDS',
    ...program.commands.flatMap(commandText),
    '.SH OPTIONS OF EVERY COMMAND',
    ...optionText(program.options),
    '.SH EXIT STATUS',
    ...exitCodeRows.map(([code, name, meaning]) => tagged(code, `${name}: ${meaning}`)),
    '.SH ENVIRONMENT',
    ...environmentVariables.map(({ name, summary, default: value }) =>
      tagged(name, value === undefined ? summary : `${summary} (default: ${value})`),
    ),
  ];
  return `${lines.join('\n')}\n`;
}
