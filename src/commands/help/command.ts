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

/** @throws Failure `usage` with a command or topic that is similar */
function commandHelp(program: Command, words: readonly string[]): string {
  let command = program;
  for (const [index, word] of words.entries()) {
    const child = childNamed(command, word);
    if (child === undefined) {
      const topics = command.parent === null ? [...topicNames, 'topics'] : [];
      const near = nearlyNamed(word, [...namesBelow(command), ...topics]);
      const hint =
        near === undefined
          ? '‹natter help› lists the commands, ‹natter help topics› the topics'
          : `did you mean ‹${['natter help', ...words.slice(0, index), near].join(' ')}›?`;
      throw new Failure('usage', `there is no command or topic "${words.join(' ')}"`, { hint });
    }
    command = child;
  }
  return command.helpInformation();
}
