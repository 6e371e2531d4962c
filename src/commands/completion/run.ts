import { sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { findPlace, nameOf } from './place.ts';
import type { Candidate, CompletedCommand } from './tree.ts';
import { candidatesFor, commandCandidates } from './values.ts';
import type { Context } from '../program/context.ts';

/** After the candidates: the shell's own completion of paths. */
const filesLine = ':files\n';

interface Found {
  readonly candidates: readonly Candidate[];
  /** Paths fit as well. */
  readonly files?: boolean;
}

async function candidatesAt(
  context: Context,
  program: CompletedCommand,
  words: readonly string[],
  current: string,
): Promise<Found> {
  const place = findPlace(program, words, current);
  if (place.kind === 'option') {
    const candidates = place.options.map((option) => ({
      value: nameOf(option),
      description: option.description,
    }));
    return { candidates };
  }
  if (place.kind === 'value') {
    const typed = current.slice(place.prefix.length);
    const asked = { context, command: program, above: [], typed, before: [] };
    const found = await candidatesFor(asked, nameOf(place.option), place.option.choices);
    if (found === 'files') return { candidates: [], files: true };
    const assigned = ({ value, ...rest }: Candidate) => ({ ...rest, value: place.prefix + value });
    return { candidates: found.map(assigned) };
  }
  const { command, above, commands, argument, before } = place;
  const asked = { context, command, above, typed: current, before };
  const found = await candidatesFor(asked, argument?.name, argument?.choices);
  const named = commandCandidates(commands);
  if (found === 'files') return { candidates: named, files: true };
  return { candidates: [...named, ...found] };
}

/** Titles come from prompts, ids from files: neither may reach the shell as anything but text. */
function formatLine({ value, description }: Candidate): string {
  const text = sanitizeLine(description).replaceAll('\t', ' ').trim();
  return text === '' ? `${value}\n` : `${value}\t${text}\n`;
}

/**
 * Prints what the last word may become, a line each: the word, a tab and its meaning. A last line `:files` stands
 * for the paths of this machine.
 * @param program the tree of commands, as the build wrote it
 * @param words of the line without natter, the last with `=` before it, so that it is never empty
 */
export async function printCompletions(
  context: Context,
  program: CompletedCommand,
  words: readonly string[],
): Promise<void> {
  const current = (words.at(-1) ?? '=').replace(/^=/, '');
  const before = words.slice(0, -1);
  const { candidates, files = false } = await candidatesAt(context, program, before, current);
  const fitting = candidates.filter(
    ({ value }) => value.startsWith(current) && value === sanitizeLine(value),
  );
  const lines = fitting.map(formatLine).join('');
  await context.streams.stdout.write(files ? lines + filesLine : lines);
}
