import type { Command } from 'commander';
import { sanitizeLine } from '../terminal/sanitizer.ts';
import { findPlace } from './completion-place.ts';
import { candidatesFor, type Candidate, type Candidates } from './completion-values.ts';
import type { Context } from './context.ts';

/** In place of candidates: the shell's own completion of paths. */
const filesLine = ':files\n';

async function candidatesAt(
  context: Context,
  program: Command,
  words: readonly string[],
  current: string,
): Promise<Candidates> {
  const place = findPlace(program, words, current);
  if (place.kind === 'option') {
    return place.options.map(({ long, flags, description }) => ({
      value: long ?? flags,
      description,
    }));
  }
  if (place.kind === 'value') {
    const typed = current.slice(place.prefix.length);
    const asked = { context, command: program, typed, before: [] };
    const found = await candidatesFor(asked, place.option);
    if (found === 'files') return found;
    return found.map((candidate) => ({ ...candidate, value: place.prefix + candidate.value }));
  }
  const { command, commands, argument, before } = place;
  const asked = { context, command, typed: current, before };
  const found = await candidatesFor(asked, argument);
  if (found === 'files') return found;
  const named = commands.map((child) => ({
    value: child.name(),
    description: child.summary(),
  }));
  return [...named, ...found];
}

/** Titles come from prompts, ids from files: neither may reach the shell as anything but text. */
function formatLine({ value, description }: Candidate): string {
  const text = sanitizeLine(description).replaceAll('\t', ' ').trim();
  return text === '' ? `${value}\n` : `${value}\t${text}\n`;
}

/**
 * Prints what the last word may become, a line each: the word, a tab and its meaning. One line `:files` stands
 * for the paths of this machine.
 * @param words of the line without natter, the last with `=` before it, so that it is never empty
 */
export async function printCompletions(
  context: Context,
  program: Command,
  words: readonly string[],
): Promise<void> {
  const current = (words.at(-1) ?? '=').replace(/^=/, '');
  const found = await candidatesAt(context, program, words.slice(0, -1), current);
  const { stdout } = context.streams;
  if (found === 'files') {
    await stdout.write(filesLine);
    return;
  }
  const fitting = found.filter(
    ({ value }) => value.startsWith(current) && value === sanitizeLine(value),
  );
  await stdout.write(fitting.map(formatLine).join(''));
}
