import { Command } from 'commander';
import { Failure } from '../../failure.ts';
import { nearlyNamed } from '../../near-name.ts';
import { meantBy } from '../../cli/guess.ts';
import { childNamed, helpOf, namesBelow, setAction, setExamples } from '../../cli/help-details.ts';
import { printHelp } from '../../cli/help-format.ts';
import { topicAliases, topicNames, topicRows } from './topic-names.ts';

async function topicText(program: Command, words: readonly string[]): Promise<string | undefined> {
  const [word = ''] = words;
  if (words.length > 1) return undefined;
  if (word === 'topics' || word === 'topic') {
    const width = Math.max(...topicNames.map((name) => name.length));
    const rows = topicRows.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
    return ['Topics, each shown by natter help <topic>:', '', ...rows, ''].join('\n');
  }
  const { helpTopic } = await import('./guides.ts');
  return helpTopic(meantBy(topicAliases, word) ?? word, program);
}

export function buildHelp(): Command {
  const command = new Command('help')
    .summary('show help on a command or a topic')
    .argument('[words...]', `a command, or a topic: ${topicNames.join(', ')}`);
  helpOf(command).hidesServiceOptions = true;
  setExamples(command, ['natter help piping', 'natter help config set']);
  return setAction(command, async () => async ({ context }, words: string[]) => {
    const program = command.parent ?? command;
    const text = await topicText(program, words);
    await printHelp(context, text ?? commandHelp(program, words));
  });
}

/** @param word the one of `words` that is not a subcommand of `command` */
function unknownHelp(command: Command, word: string, words: readonly string[]): Failure {
  const topics = command.parent === null ? [...topicNames, 'topics'] : [];
  const near = nearlyNamed(word, [...namesBelow(command), ...topics]);
  const before = words.slice(0, words.indexOf(word));
  const hint =
    near === undefined
      ? '‹natter help› lists the commands, ‹natter help topics› the topics'
      : `did you mean ‹${['natter help', ...before, near].join(' ')}›?`;
  return new Failure('usage', `there is no command or topic "${words.join(' ')}"`, { hint });
}

function commandHelp(program: Command, words: readonly string[]): string {
  let command = program;
  for (const word of words) {
    const child = childNamed(command, word);
    if (child === undefined) throw unknownHelp(command, word, words);
    command = child;
  }
  return command.helpInformation();
}
