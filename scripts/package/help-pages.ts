import type { Command } from 'commander';
import { topicNames } from '../../src/commands/help/topic-names.ts';
import { helpTopic } from '../../src/commands/help/topics.ts';
import { commandNames } from '../../src/commands/program/command-names.ts';
import type { Context } from '../../src/commands/program/context.ts';
import { buildProgram } from '../../src/commands/program/program.ts';

/** A name and its text. */
type Page = readonly [name: string, text: string];

/** The help of a command and its subcommands, by the words that name the command, aliases included. */
function commandPages(command: Command, suffix: string, name = 'natter'): readonly Page[] {
  const below = command.commands.flatMap((child) =>
    [child.name(), ...child.aliases()].flatMap((word) =>
      commandPages(child, suffix, `${name}.${word}`),
    ),
  );
  return [[`${name}${suffix}`, command.helpInformation()], ...below];
}

/** Every ready text: `natter.config.set` for `--help`, `natter.config.set.-h` for `-h`, `topic.keys` for a topic, `natter.--version`. */
export async function helpPages(context: Context): Promise<readonly Page[]> {
  const program = await buildProgram(context, commandNames);
  const short = await buildProgram(context, [...commandNames, '-h']);
  const topics = topicNames.map(async (name): Promise<Page> => {
    return [`topic.${name}`, (await helpTopic(name, program)) ?? ''];
  });
  return [
    ['natter.--version', `${context.version}\n`],
    ...commandPages(program, ''),
    ...commandPages(short, '.-h'),
    ...(await Promise.all(topics)),
  ];
}

/** All texts in one file, in which bin/ready-text.cjs finds a name. Aliases share a text; similar ones are neighbours. */
export function helpFile(pages: readonly Page[]): string {
  const names = new Map<string, string[]>();
  for (const [name, text] of pages.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    names.set(text, [...(names.get(text) ?? []), name]);
  }
  return [...names].map(([text, shared]) => `\f${shared.join('\f')}\f\n${text}`).join('');
}
