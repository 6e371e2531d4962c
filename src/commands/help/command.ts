import { Command } from 'commander';
import { Failure } from '../../failure.ts';
import { nearlyNamed } from '../../near-name.ts';
import type { Context } from '../program/context.ts';
import { hideServiceOptions, namesBelow, setExamples } from '../program/help-details.ts';
import { printHelp } from '../program/print-help.ts';
import { topicAliases, topicNames } from './topic-names.ts';

export function buildHelp(context: Context): Command {
  const command = new Command('help')
    .argument('[words...]', `a command, or a topic: ${topicNames.join(', ')}`)
    .description('Shows help on a command or a topic.');
  hideServiceOptions(command);
  setExamples(command, ['natter help piping', 'natter help config set']);
  return command.action(async (words: string[]) => {
    const [word = ''] = words;
    const name = topicNames.find((topic) => topic === (topicAliases.get(word) ?? word));
    const topic = name === undefined || words.length > 1 ? undefined : context.topicText(name);
    await printHelp(context, topic ?? commandHelp(command, words));
  });
}

const keyWords = new Set(['key', 'api-key', 'api-keys', 'apikey', 'login']);

/** The words after `natter help` that these words may mean. */
function similarWords(word: string, known: readonly string[]): string | undefined {
  return keyWords.has(word) ? 'auth' : nearlyNamed(word, known);
}

/** @param word the one of `words` that is not a subcommand of `command` */
function unknownHelp(command: Command, word: string, words: readonly string[]): Failure {
  const names = namesBelow(command);
  const near =
    command.parent === null
      ? similarWords(word, [...names, ...topicNames])
      : nearlyNamed(word, names);
  const hint =
    near === undefined
      ? `natter help lists the commands; the topics are ${topicNames.join(', ')}`
      : `did you mean natter help ${[...words.slice(0, words.indexOf(word)), near].join(' ')}?`;
  return new Failure('usage', `there is no command or topic "${words.join(' ')}"`, { hint });
}

function commandHelp(help: Command, words: readonly string[]): string {
  let command = help.parent ?? help;
  for (const word of words) {
    const child = command.commands.find(
      (candidate) => candidate.name() === word || candidate.aliases().includes(word),
    );
    if (child === undefined) throw unknownHelp(command, word, words);
    command = child;
  }
  return command.helpInformation();
}
