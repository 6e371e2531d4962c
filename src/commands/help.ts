import { Command } from 'commander';
import { Failure } from '../failure.ts';
import type { Context } from './context.ts';
import { hideServiceOptions, setExamples } from './help-format.ts';
import { topicNames } from './topic-names.ts';

/** `natter help [topic or command...]`. */
export function buildHelp(context: Context): Command {
  const command = new Command('help')
    .argument('[words...]', `a command, or a topic: ${topicNames.join(', ')}`)
    .summary('show help on a command or topic')
    .description('Shows help on a command or a topic.');
  hideServiceOptions(command);
  setExamples(command, ['natter help piping', 'natter help config set']);
  return command.action(async (words: string[]) => {
    const { helpTopics } = await import('./help-topics.ts');
    const [word] = words;
    const topic = word === undefined || words.length > 1 ? undefined : helpTopics.get(word);
    const text = topic?.() ?? commandHelp(command, words);
    await context.streams.stdout.write(text);
  });
}

function commandHelp(help: Command, words: readonly string[]): string {
  let command = help.parent ?? help;
  for (const word of words) {
    const child = command.commands.find(
      (candidate) => candidate.name() === word || candidate.aliases().includes(word),
    );
    if (child === undefined) {
      throw new Failure('usage', `there is no command or topic "${words.join(' ')}"`, {
        hint: `natter help lists the commands; the topics are ${topicNames.join(', ')}`,
      });
    }
    command = child;
  }
  return command.helpInformation();
}
