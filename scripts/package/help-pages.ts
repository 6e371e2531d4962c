import type { Command } from 'commander';

/** The help of a command and its subcommands, each with the words that name the command, aliases included. */
export function helpPages(
  command: Command,
  words: readonly string[] = [],
): readonly (readonly [words: readonly string[], text: string])[] {
  const below = command.commands.flatMap((child) =>
    [child.name(), ...child.aliases()].flatMap((name) => helpPages(child, [...words, name])),
  );
  return [[words, command.helpInformation()], ...below];
}
